import { expect, test } from 'vitest';
import { changeRules, trialLists } from './rules.js';

const rules = ['a.*', 'b.*'];

test.each([
  [null, 'c', ['a.*', 'b.*', 'c']],
  ['a.*', 'x', ['x', 'b.*']],
  ['a.*', null, ['b.*']],
  [null, ' ', 'Enter a pattern.'],
  [null, 'b.*', '"b.*" is on the list already.'],
  ['gone', 'x', '"gone" is not on the list any more; another user or program has changed it.'],
] as const)('from %j to %j', (from, to, expected) => {
  expect(changeRules(rules, { list: 'deny', from, to })).toEqual(expected);
});

test.each([
  ['deny', { deny: ['x', 'b', 'new'] }],
  ['require_approval', { require_approval: ['y', 'new'] }],
  ['allow', { allow: ['a.*', 'new'] }],
] as const)('a rule put on trial for %s is tried with those on trial already', (list, expected) => {
  const inForce = { allow: ['a.*', 'b.*'], deny: ['x'], require_approval: ['y'] };
  expect(trialLists(inForce, { allow: ['a.*'], deny: ['b'] }, { list, pattern: 'new' })).toEqual(expected);
});
