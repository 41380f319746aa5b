// No way to write a URI that some server takes for another one evades a rule on that one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resourceReadings } from './resource-readings.js';

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
  ])('sees in %j also %j, for rules that narrow', (uri, reduced) => {
    const { same, whole, reduced: found } = resourceReadings(uri);
    expect([...same, ...whole, ...found]).toContain(reduced);
  });

  it('keeps the expressions of a template, which are no fragment and no query', () => {
    expect(resourceReadings('docs://{page}{#part}').whole).toEqual([]);
    expect(resourceReadings('file:///{+path}{?v}').whole).toEqual([]);
  });
});
