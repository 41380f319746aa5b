// URIs that a template may have made; every expression matches any run of characters.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesWildcards, templateLiterals } from './uri-template.js';

const matches = (template: string, uri: string) => matchesWildcards(templateLiterals(template), uri);

describe('matchesWildcards', () => {
  it.each([
    ['file:///{path}', 'file:///a/b.txt', true],
    ['file:///{+path}', 'file:///', true],
    ['file:///{path}', 'http:///a', false],
    ['repo://{owner}/{name}/issues', 'repo://a/b/issues', true],
    ['repo://{owner}/{name}/issues', 'repo://a/issues', false],
    ['repo://{owner}/{name}/issues', 'repo://a/b/issues/1', false],
    ['a{x}a', 'a', false],
    ['a{x}a', 'aa', true],
    ['{x}', 'anything', true],
    ['plain:uri', 'plain:uri', true],
    ['plain:uri', 'plain:uri2', false],
    ['x{?q,lang}', 'x?q=1&lang=de', true],
    ['open{brace', 'open{brace', true],
    ['(.*){x}', '(.*)1', true],
    ['(.*){x}', 'anything', false],
  ])('of %s and %s is %s', (template, uri, expected) => {
    expect(matches(template, uri)).toBe(expected);
  });

  it('matches what an expansion of the template gives', () => {
    const literal = fc.string({ unit: fc.constantFrom('a', 'b', '/', ':') });
    fc.assert(
      fc.property(literal, fc.array(fc.tuple(fc.string(), literal), { minLength: 1, maxLength: 6 }), (head, parts) => {
        const template = head + parts.map(([, after]) => `{x}${after}`).join('');
        const uri = head + parts.map(([value, after]) => value + after).join('');
        expect(matches(template, uri)).toBe(true);
      }),
    );
  });

  it('takes linear time where backtracking would never end', () => {
    const template = `${'{x}a'.repeat(5000)}b`;
    expect(matches(template, 'a'.repeat(20_000))).toBe(false);
    expect(templateLiterals('{'.repeat(200_000))).toHaveLength(1);
  });
});
