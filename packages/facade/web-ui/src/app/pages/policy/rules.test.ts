import { expect, test } from 'vitest';
import { changeRules } from './rules.js';

const rules = ['a.*', 'b.*'];

test.each([
  [null, 'c', ['a.*', 'b.*', 'c']],
  ['a.*', 'x', ['x', 'b.*']],
  ['a.*', null, ['b.*']],
  [null, ' ', 'Enter a pattern.'],
  [null, 'b.*', '"b.*" is on the list already.'],
  ['gone', 'x', '"gone" is not on the list any more; somebody else has changed it.'],
] as const)('from %j to %j', (from, to, expected) => {
  expect(changeRules(rules, { list: 'deny', from, to })).toEqual(expected);
});
