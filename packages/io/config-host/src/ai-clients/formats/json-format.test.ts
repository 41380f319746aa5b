// Edits of JSON texts: one entry is set and removed, and the text around it stays.
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { FormatProblem } from './file-format.js';
import { createJsonFormat } from './json-format.js';

const jsonc = createJsonFormat({ comments: true, trailingCommas: true });
const strict = createJsonFormat({ comments: false, trailingCommas: false });
const entry = { command: 'x' };
const set = (text: string, path = ['s']) => jsonc.set(text, path, 'p', entry);

describe('setting an entry', () => {
  it.each([
    ['', '{\n  "s": {\n    "p": {\n      "command": "x"\n    }\n  }\n}\n'],
    ['{}', '{\n  "s": {\n    "p": {\n      "command": "x"\n    }\n  }\n}'],
    ['{"s":{"a":1}}', '{"s":{"a":1, "p": {"command":"x"}}}'],
    ['{"s": {"a": 1,}}', '{"s": {"a": 1, "p": {"command":"x"},}}'],
    [
      '{\n\t"s": {\n\t\t"a": 1 // one\n\t}\n}\n',
      '{\n\t"s": {\n\t\t"a": 1, // one\n\t\t"p": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n',
    ],
    [
      '{\n  "s": {\n    "a": 1, // one\n    // "b": 2\n  },\n}\n',
      '{\n  "s": {\n    "a": 1, // one\n    // "b": 2\n    "p": {\n      "command": "x"\n    },\n  },\n}\n',
    ],
    [
      '{\r\n    "z": 1\r\n}\r\n',
      '{\r\n    "z": 1,\r\n    "s": {\r\n        "p": {\r\n            "command": "x"\r\n        }\r\n    }\r\n}\r\n',
    ],
    [
      '{"s": {\n  "p": {"command": "old", "a": 1} // ours\n}}',
      '{"s": {\n  "p": {\n    "command": "x"\n  } // ours\n}}',
    ],
    ['{"s": {"a": 1 /* c */}}', '{"s": {"a": 1, /* c */\n"p": {\n  "command": "x"\n}\n}}'],
  ])('in %j leaves the rest as it is', (before, after) => {
    expect(set(before)).toBe(after);
    expect(parse(after).s.p).toEqual(entry);
  });

  it('makes every object on the way', () => {
    expect(parse(set('{"a": {}}', ['a', 'b', 'c']))).toEqual({ a: { b: { c: { p: entry } } } });
  });

  it('takes the last of keys that are there twice, as parsers do', () => {
    expect(parse(set('{"s": {"a": 1}, "s": {}}')).s).toEqual({ p: entry });
  });

  it.each(['[]', '{"s": []}', '{"s": null}', '{"s": "x"}'])('in %j finds something else in the way', (text) => {
    expect(() => set(text)).toThrow(FormatProblem);
  });
});

describe('removing an entry', () => {
  it.each([
    ['{"s": {"p": {}}}', '{"s": {}}'],
    ['{"s": {\n  "p": {}\n}}', '{"s": {}}'],
    ['{"s": {"a": 1, "p": {}}}', '{"s": {"a": 1}}'],
    ['{"s": {"p": {}, "a": 1}}', '{"s": { "a": 1}}'],
    [
      '{"s": {\n  "a": 1,\n  // of p\n  "p": {}, // too\n  "b": 2\n}}',
      '{"s": {\n  "a": 1,\n  // of p // too\n  "b": 2\n}}',
    ],
    ['{"s": {\n  "a": 1, // one\n  "p": {},\n}}', '{"s": {\n  "a": 1, // one\n}}'],
    ['{"s": {\n  // none\n  "p": {}\n}}', '{"s": {\n  // none\n}}'],
    ['{"a": 1}', '{"a": 1}'],
  ])('from %j leaves the rest as it is', (before, after) => {
    expect(jsonc.remove(before, ['s'], 'p')).toBe(after);
  });

  it('takes objects with it that were made for it, unless something is in them', () => {
    const before = '{\n  "a": 1 // one\n}\n';
    const with2 = set(before, ['s', 't']);
    expect(jsonc.remove(with2, ['s', 't'], 'p', before)).toBe(before);
    const used = with2.replace('"p"', '"own": 1, "p"');
    expect(parse(jsonc.remove(used, ['s', 't'], 'p', before))).toEqual({ a: 1, s: { t: { own: 1 } } });
    const commented = with2.replace('"p"', '/* mine */ "p"');
    expect(jsonc.remove(commented, ['s', 't'], 'p', before)).toContain('/* mine */');
  });
});

describe('reading', () => {
  it('takes comments and trailing commas where the client does', () => {
    expect(jsonc.parse('// c\n{"a": [1,],}')).toEqual({ a: [1] });
    expect(() => strict.parse('// c\n{"a": 1}')).toThrow(
      'line 1, column 1: not valid JSON: a comment, which JSON does not have',
    );
    expect(() => strict.parse('{"a": 1,}')).toThrow('not valid JSON');
    expect(strict.parse(' \n')).toEqual({});
  });

  it.each(['{', '{"a": s3cret}', '"x"', '[]', '{"a": 1} {}', '['.repeat(300)])(
    'refuses %j in its own words',
    (text) => {
      const thrown = (() => {
        try {
          return jsonc.parse(text);
        } catch (error) {
          return error;
        }
      })();
      expect(thrown).toBeInstanceOf(FormatProblem);
      expect(String(thrown)).not.toContain('s3cret');
    },
  );

  it('does not stumble over keys that objects have by themselves', () => {
    expect(Object.keys(jsonc.parse('{"constructor": {"a": 1}}'))).toEqual(['constructor']);
    expect(parse(set('{"s": {"__proto__": {"command": "y"}, "toString": 1}}')).s.p).toEqual(entry);
  });
});
