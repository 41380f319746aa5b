// Edits of configuration text, as a person would have made them.
import { describe, expect, it } from 'vitest';
import { editText } from './edit-text.js';

describe('a new field', () => {
  it('goes behind the others and their comments, each on its own line', () => {
    const text = `{
\t// the servers
\t"mcpServers": {
\t\t"s": { "command": "a", "args": ["b"] }, // mine
\t},
\t"x-team": ["a", "b"], // whose it is
\t// the end
}
`;
    const edits = [
      { path: ['capabilityAliases', 'e'], value: 's.echo' },
      { path: ['mcpServers', 't'], value: { command: 'x' } },
    ];
    expect(editText(text, edits)).toBe(`{
\t// the servers
\t"mcpServers": {
\t\t"s": { "command": "a", "args": ["b"] }, // mine
\t\t"t": {
\t\t\t"command": "x"
\t\t},
\t},
\t"x-team": ["a", "b"], // whose it is
\t"capabilityAliases": {
\t\t"e": "s.echo"
\t},
\t// the end
}
`);
  });

  it.each([
    ['{\n  "a": 1 // last\n  // more\n}', '{\n  "a": 1, // last\n  "port": 1\n  // more\n}'],
    ['{"a": {}, // c\n}', '{"a": {}, "port": 1, // c\n}'],
    ['{"a": {} /* c */ }', '{"a": {}, "port": 1 /* c */ }'],
    ['{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "port": 1\r\n}'],
    ['{\n  "a": 1 // last\n  , // odd\n}', '{\n  "a": 1 // last\n  , // odd\n  "port": 1,\n}'],
  ])('of %j makes it %j', (text, expected) => {
    expect(editText(text, [{ path: ['port'], value: 1 }])).toBe(expected);
  });

  it('is the first of an empty object, and takes the place of null', () => {
    expect(editText('{"policy": null}', [{ path: ['policy', 'deny'], value: ['a'] }])).toMatch(
      /^\{"policy": \{\s*"deny": \[\s*"a"\s*\]\s*\}\}$/,
    );
    expect(JSON.parse(editText('{}', [{ path: ['a', 'b', 'c'], value: 1 }]))).toEqual({ a: { b: { c: 1 } } });
  });
});

describe('a field that is removed', () => {
  it.each([
    ['{\n  "a": 1, // one\n  "b": 2\n}', '{\n  "a": 1 // one\n}'],
    ['{\n  "b": 2,\n  // one\n  "a": 1\n}', '{\n  // one\n  "a": 1\n}'],
    ['{\n  "a": 1,\n  "b": 2, // two\n  "c": 3,\n}', '{\n  "a": 1,\n  // two\n  "c": 3,\n}'],
    ['{"a": 1, "b": 2}', '{"a": 1 }'],
    ['{"b": 2, "a": 1}', '{"a": 1}'],
    ['{"b": 2}', '{}'],
    ['{\r\n  "a": 1,\r\n  "b": 2\r\n}', '{\r\n  "a": 1\r\n}'],
    ['{"a": 1}', '{"a": 1}'],
  ])('from %j leaves %j', (text, expected) => {
    expect(editText(text, [{ path: ['b'], value: undefined }])).toBe(expected);
  });
});

it('a byte order mark stays', () => {
  expect(editText('\uFEFF{"a":1}', [{ path: ['a'], value: 2 }])).toBe('\uFEFF{"a":2}');
});
