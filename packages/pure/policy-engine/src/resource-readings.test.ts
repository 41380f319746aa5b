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
    const readings = resourceReadings('s', uri);
    expect(readings[0]).toBe(`s.${uri}`);
    expect(readings).toContain('s.file:///secret');
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
    expect(resourceReadings('s', uri)).toContain(`s.${other}`);
  });

  it.each(['file:///srv/files/a.txt', 'demo://resource/1', 'git://main/src/index.ts', 'memo://a/b/c'])(
    'sees nothing else in %s',
    (uri) => {
      expect(resourceReadings('s', uri)).toEqual([`s.${uri}`]);
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
        expect(resourceReadings('s', uri)).toContain('s.file:///a/b/secret');
      }),
    );
  });

  it('never throws, and always holds the text as given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (uri) => {
        expect(resourceReadings('s', uri)[0]).toBe(`s.${uri}`);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes a long text of anything: quadratic time would run into the time limit of the test', () => {
    for (const piece of ['//', '\\', '\t', '%2F', '../', 'file:', ' ', '%']) {
      expect(resourceReadings('s', `file:///${piece.repeat(50_000)}`).length).toBeGreaterThan(0);
      expect(resourceReadings('s', piece.repeat(50_000)).length).toBeGreaterThan(0);
    }
  });
});
