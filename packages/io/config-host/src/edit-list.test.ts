// One rule of many is changed: the others keep their comments, their order and their lines.
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { editText } from './edit-text.js';

const file = `{
  "policy": {
    // what nobody may do
    "deny": [
      "files.delete*", // never
      /* payments */ "pay.*",
      "web.post"
    ]
  }
}
`;
const edit = (value: string[], text = file) => editText(text, [{ path: ['policy', 'deny'], value }]);

test('a changed item is changed in its place', () => {
  expect(edit(['files.delete*', 'bank.*', 'web.post'])).toBe(file.replace('pay.*', 'bank.*'));
});

test('a new item comes last, in a line of its own', () => {
  expect(edit(['files.delete*', 'pay.*', 'web.post', 'a.b'])).toBe(
    file.replace('"web.post"', '"web.post",\n      "a.b"'),
  );
});

test('a removed item takes its line along, wherever it is', () => {
  expect(edit(['files.delete*', 'pay.*'])).toBe(file.replace('"pay.*",\n      "web.post"', '"pay.*"'));
  const first = edit(['pay.*', 'web.post']);
  expect(first).toContain('/* payments */ "pay.*",\n      "web.post"');
  expect(parse(first).policy.deny).toEqual(['pay.*', 'web.post']);
});

test('a list in one line stays in one', () => {
  expect(edit(['b'], '{"policy": {"deny": ["a"]}}')).toBe('{"policy": {"deny": ["b"]}}');
  expect(edit(['a', 'b'], '{"policy": {"deny": ["a"]}}')).toBe('{"policy": {"deny": ["a", "b"]}}');
});

test.each([
  [['a'], []],
  [[], ['a']],
  [
    ['a', 'b', 'c'],
    ['c', 'a', 'b'],
  ],
  [['a', 'b', 'c', 'd'], ['d']],
  [
    ['a', 'b'],
    ['x', 'a', 'b'],
  ],
  [['a', 'a'], ['a']],
  [
    ['a', 'a'],
    ['a', 'a', 'a'],
  ],
])('%j becomes %j, with anything between them', (before, after) => {
  const text = JSON.stringify({ policy: { deny: before } }, null, 2);
  expect(parse(edit(after, text)).policy.deny).toEqual(after);
});
