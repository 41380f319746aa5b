// A rule that is written in another spelling than a URI holds for it nevertheless.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesSpelled } from './pattern-spellings.js';
import { compilePatterns } from './patterns.js';
import { resourceReadings } from './resource-readings.js';

describe('a rule that narrows', () => {
  const matches = (pattern: string, uri: string) =>
    resourceReadings(uri).same.some((text) => compilePatterns([pattern], 'narrows').match(`s.${text}`) === pattern);

  it.each([
    ['s.file:///srv/%7Ea', 'file:///srv/~a'],
    ['s.file:///srv/%5ba%5D', 'file:///srv/[a]'],
    ['s.file:///srv/%7Ea/*', 'file:///srv/~a/b'],
    ['s.*/%7Ea/*', 'file:///srv/~a/b'],
    ['*.file:///srv/%7Ea', 'file:///srv/~a'],
    ['s*file:///srv/%7Ea', 'file:///srv/~a'],
    ['*.file://localhost/srv/a', 'file:///srv/a'],
    ['s.FILE:/srv/*', 'file:///srv/a'],
    ['s.file:///srv\\*', 'file:///srv/a'],
    ['s.https://EXAMPLE.com:443/*', 'https://example.com/a'],
    ['s.https://*.example.com:443/a', 'https://x.example.com/a'],
    ['s.demo://a/%2A', 'demo://a/*'],
    ['s.demo://a/%7*', 'demo://a/%7Eb'],
  ])('by the pattern %j matches %j', (pattern, uri) => {
    expect(matches(pattern, uri)).toBe(true);
  });

  it.each([
    ['s.demo://a/%2A', 'demo://a/b'],
    ['s.demo://a#x', 'demo://a#y'],
    ['s.demo://a#x', 'demo://a'],
    ['s.file:///srv/%7Ea', 'file:///srv/a'],
  ])('by the pattern %j does not match %j', (pattern, uri) => {
    expect(matches(pattern, uri)).toBe(false);
  });

  it('matches with any octets of a path written as escapes, in the rule or in the URI', () => {
    const character = fc.constantFrom(...'aZ09-._~!$&\'()+,;=:@[]^|" é文'.split(''));
    const written = fc.tuple(character, fc.boolean(), fc.boolean());
    const escaped = (text: string) =>
      [...Buffer.from(text)].map((octet) => `%${octet.toString(16).padStart(2, '0')}`).join('');
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 12 }), (path) => {
        const rule = path.map(([text, inRule]) => (inRule ? escaped(text) : text)).join('');
        const asked = path.map(([text, , inUri]) => (inUri ? escaped(text) : text)).join('');
        expect(matches(`s.file:///srv/x${rule}y`, `file:///srv/x${asked}y`)).toBe(true);
      }),
    );
  });
});

it('a rule that allows holds for what it says only', () => {
  expect(compilePatterns(['s.file:///srv/%7Ea']).match('s.file:///srv/~a')).toBeUndefined();
});

it('texts without a spelling of their own stay one', () => {
  expect(piecesSpelled(['delete_', ''])).toEqual([['delete_', '']]);
});
