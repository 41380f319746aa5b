// No way to write a URI that some server takes for another one evades a rule on that one.
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resourceReadings } from './resource-readings.js';

/** The file that a server opens; undefined if it fails. */
function pathOf(toPath: (uri: string) => string, uri: string): string | undefined {
  try {
    return posix.normalize(toPath(uri));
  } catch {
    return undefined;
  }
}

describe('resourceReadings', () => {
  it.each([
    'file:///a\\..\\secret',
    'file:////secret',
    'file:\\\\\\secret',
    'file:/\\/secret',
    'file:secret',
    'file:///sec\tret',
    'file:///sec\nret',
    'f\tile:///secret',
    ' file:///secret',
    '\u0000file:///secret',
    '\tfile:///secret',
    'file:///secret ',
    'file:///a/.\t./secret',
    'file:///a/\t../secret',
    'file:///%73ecret\n',
    'FILE:///a//../../secret',
    'file:///%2e%2e//secret',
    'file:///a%5C..%5Csecret',
  ])('sees file:///secret in %j', (uri) => {
    const { same } = resourceReadings(uri);
    expect(same[0]).toBe(uri);
    expect(same).toContain('file:///secret');
  });

  it.each([
    ['demo://resource/dynamic/text/\t1', 'demo://resource/dynamic/text/1'],
    ['demo://resource/dynamic/text/1\n', 'demo://resource/dynamic/text/1'],
    ['https:example.com/secret', 'https://example.com/secret'],
    ['https:///EXAMPLE.com:443/secret', 'https://example.com/secret'],
    ['http://0x7f.1/secret', 'http://127.0.0.1/secret'],
    ['https://example.com\\secret', 'https://example.com/secret'],
    ['https://example.com', 'https://example.com/'],
  ])('sees in %j also %j', (uri, other) => {
    expect(resourceReadings(uri).same).toContain(other);
  });

  it.each(['file:///srv/files/a.txt', 'demo://resource/1', 'git://main/src/index.ts', 'memo://a/b/c'])(
    'sees nothing else in %s',
    (uri) => {
      expect(resourceReadings(uri)).toEqual({ same: [uri], whole: [], reduced: [] });
    },
  );

  it('sees what it sees in the tidied text, however a path is padded with what a URL parser drops', () => {
    const junk = fc.constantFrom('\t', '\n', '\r');
    const padded = fc.tuple(fc.nat(18), junk, fc.constantFrom('', ' ', '\u0001')).map(([at, character, outer]) => {
      const uri = 'file:///a/b/secret';
      return outer + uri.slice(0, at) + character + uri.slice(at) + outer;
    });
    fc.assert(
      fc.property(padded, (uri) => {
        expect(resourceReadings(uri).same).toContain('file:///a/b/secret');
      }),
    );
  });

  it('never throws, and always holds the text as given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (uri) => {
        expect(resourceReadings(uri).same[0]).toBe(uri);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes a long text of anything: quadratic time would run into the time limit of the test', () => {
    const pieces = [
      '//',
      '\\',
      '\t',
      '%2F',
      '../',
      'file:',
      ' ',
      '%',
      '#',
      '?',
      ';a',
      '; ',
      'a:',
      '@',
      '.',
      '\0',
      '%00',
      'ﬀ',
    ];
    for (const piece of pieces) {
      expect(resourceReadings(`file:///${piece.repeat(50_000)}`).same.length).toBeGreaterThan(0);
      expect(resourceReadings(`https://${piece.repeat(50_000)}`).same.length).toBeGreaterThan(0);
      expect(resourceReadings(piece.repeat(50_000)).same.length).toBeGreaterThan(0);
    }
  });

  it.each([
    ['file:///secret#', 'file:///secret'],
    ['file:///secret?v=1', 'file:///secret'],
    ['file:///secret?v=1#x', 'file:///secret'],
    ['file:///%73ecret#x', 'file:///secret'],
    ['demo://a/b#part', 'demo://a/b'],
    ['https://example.com/a?q=1#part', 'https://example.com/a?q=1'],
  ])('takes %j for %j, which an allow rule has to cover too', (uri, whole) => {
    expect(resourceReadings(uri).whole).toContain(whole);
  });

  it.each([
    ['https://example.com/a?q=1', 'https://example.com/a'],
    ['https://ann:pw@example.com/a', 'https://example.com/a'],
    ['demo://a/b;v=2/c', 'demo://a/b/c'],
    ['demo://a//b', 'demo://a/b'],
    ['demo://a/b%00.txt', 'demo://a/b'],
    ['file:///secret;v=1', 'file:///secret'],
    ['file:///secret%3Bv=1', 'file:///secret'],
    ['file:///secret%00.txt', 'file:///secret'],
    ['file:///secret%23.txt', 'file:///secret'],
    ['file:///secret.', 'file:///secret'],
    ['file:///secret%20.%20', 'file:///secret'],
    ['file:///secret/', 'file:///secret'],
    ['file:///secret/.', 'file:///secret'],
    ['file:///secret::$DATA', 'file:///secret'],
    ['file://elsewhere/secret', 'file:///secret'],
    ['file://ann@elsewhere/secret', 'file:///secret'],
    ['file:///ｓｅｃｒｅｔ', 'file:///secret'],
    ['file:///a/．．/secret', 'file:///secret'],
    ['file:///a／secret', 'file:///a/secret'],
    ['file:///secret;a#b', 'file:///secret;a'],
    ['file:///a/b;x/．．/secret.::$DATA?v#x', 'file:///a/secret'],
    ['file://elsewhere//secret', 'file:///secret'],
    ['file://;////secret', 'file:///secret'],
    ['file://%23/secret', 'file:///secret'],
    ['file://elsewhere\0/secret', 'file:///secret'],
    ['file:///secret%3F/..', 'file:///secret'],
    ['file:///secret%2523x/../', 'file:///secret'],
    ['file:///?/../secret', 'file:///secret'],
    ['FILE:///#/../secret', 'file:///secret'],
    ['file:/a%5C/../secret', 'file:///a/secret'],
    ['file:///%0Asecret%00', 'file:///secret'],
  ])('sees in %j also %j, for rules that narrow', (uri, reduced) => {
    const { same, whole, reduced: found } = resourceReadings(uri);
    expect([...same, ...whole, ...found]).toContain(reduced);
  });

  const decodedPath = (uri: string) => decodeURIComponent(new URL(uri).pathname);
  /** Ways in which servers turn a URI into a path. */
  const servers: readonly (readonly [string, (uri: string) => string])[] = [
    ['fileURLToPath', (uri) => fileURLToPath(new URL(uri))],
    ['the path of a URL', (uri) => new URL(uri).pathname],
    ['the decoded path of a URL', decodedPath],
    ['a URL of the decoded text', (uri) => decodedPath(decodeURIComponent(uri))],
    ['the text behind file://', (uri) => uri.replace(/^file:\/\//i, '')],
    ['that, decoded', (uri) => decodeURIComponent(uri.replace(/^file:\/\//i, ''))],
    ['the path as Python parses it', (uri) => /^file:(?:\/\/[^/?#]*)?([^?#]*)/i.exec(uri)?.[1] ?? ''],
  ];

  it.each(servers)('covers every spelling that a server reads as the file: %s', (_server, toPath) => {
    const unit = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('x', '/', '.', '..', '/../', 'localhost', '127.0.0.1', 'u:p@') },
      { weight: 3, arbitrary: fc.constantFrom('#', '?', '\\', '\t', '\n', ' ', '\0', ';', ':', '@', '&', '//') },
      { weight: 2, arbitrary: fc.constantFrom('%23', '%3F', '%2F', '%5C', '%2e', '%3B', '%0A', '%09', '%00', '%2523') },
    );
    const noise = fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: unit });
    const start = fc.constantFrom('file://', 'file:', 'FILE://', ' file://', 'file:\\\\');
    const written = fc.tuple(start, noise, noise, noise, noise, fc.string({ unit, maxLength: 3 }));
    const spelled = written.map(([scheme, a, b, c, d, end]) => `${scheme}${a}/srv${b}/${c}secret${d}${end}`);
    fc.assert(
      fc.property(spelled, (uri) => {
        if (pathOf(toPath, uri) !== '/srv/secret') return;
        const { same, whole, reduced } = resourceReadings(uri);
        expect([...same, ...whole, ...reduced]).toContain('file:///srv/secret');
      }),
      { numRuns: 3000 },
    );
  });

  it('keeps the expressions of a template, which are no fragment and no query', () => {
    expect(resourceReadings('docs://{page}{#part}').whole).toEqual([]);
    expect(resourceReadings('file:///{+path}{?v}').whole).toEqual([]);
  });
});
