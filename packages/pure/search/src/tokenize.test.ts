import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenize, toStem } from './tokenize.js';

describe('tokenize', () => {
  it.each([
    ['readTextFile', ['read', 'text', 'file', 'readtextfile']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['git_log.max-count', ['git', 'log', 'max', 'count']],
    ['base64', ['base', '64', 'base64']],
    ["I've", ['i', 've']],
    ['Ünïcode Straße', ['unicode', 'straße']],
    ['ﬁle ＡＢＣ', ['file', 'abc']],
    ['Файлы', ['фаилы']],
    ['查询表', ['查', '查询', '询', '询表', '表']],
    ['查table', ['查', 'table', '查table']],
    ['', []],
    ['\ud800 -- \u0000', []],
  ])('cuts %j', (text, tokens) => {
    expect(tokenize(text, 100)).toEqual(tokens);
  });

  it('cuts plain text as it does beside an accent', () => {
    const text = fc.string({ unit: fc.constantFrom(...'aZz09_- .\u00a0\n'), maxLength: 40 });
    fc.assert(
      fc.property(text, (plain) => {
        expect([...tokenize(plain, 100), 'e']).toEqual(tokenize(`${plain} é`, 101));
      }),
    );
  });

  it('stops at the limit and leaves out blobs', () => {
    expect(tokenize('one two three', 2)).toEqual(['one', 'two']);
    expect(tokenize(`key ${'x'.repeat(65)}`, 10)).toEqual(['key']);
  });
});

describe('toStem', () => {
  it('stems English and leaves other words alone', () => {
    expect(['directories', 'directory', 'файлы', '64'].map(toStem)).toEqual(['directori', 'directori', 'файлы', '64']);
  });
});
