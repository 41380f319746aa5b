import { parseExact } from '@portico/contracts';
import { expect, test } from 'vitest';
import {
  conditionLine,
  type GrantScope,
  nameOfPath,
  offerText,
  scopeText,
  stateText,
  ttlChoices,
  ttlText,
} from './grant-words.js';

const repo = { path: '/repo', value: 'acme/site' };
const scope: GrantScope = {
  kind: 'tool',
  capability: 'github.create_issue',
  conditions: [repo],
  free: ['/title', '/body'],
};

test.each([
  [scope, 'runs of github.create_issue with repo: "acme/site", and any value of title and body'],
  [{ ...scope, free: [] }, 'runs of github.create_issue with exactly repo: "acme/site"'],
  [{ ...scope, conditions: [], free: ['/title'] }, 'runs of github.create_issue with any value of title'],
  [{ ...scope, conditions: [], free: [] }, 'runs of github.create_issue without arguments'],
  [{ ...scope, kind: 'prompt', free: [] }, 'uses of the prompt github.create_issue with exactly repo: "acme/site"'],
] as const)('a scope is said in words', (given, text) => {
  expect(scopeText(given)).toBe(text);
});

test('an offer says how many calls, for how long, and that every other call asks', () => {
  expect(offerText({ ...scope, free: [] }, 20, 28_800)).toBe(
    'Up to 20 more calls of the same caller within 8 h will not wait for a person: runs of github.create_issue with exactly repo: "acme/site". Every other call asks as before.',
  );
  expect(offerText(scope, 1, 60)).toMatch(/^One more call of the same caller within 1 min will/);
});

test('a long value is cut in a sentence, with its length, and whole in its line', () => {
  const long = { path: '/text', value: 'x'.repeat(200) };
  expect(scopeText({ ...scope, conditions: [long], free: [] })).toMatch(/x… \(208 characters\)$/);
  expect(conditionLine(long)).toBe(`text: "${'x'.repeat(200)}"`);
});

test('a number keeps every digit, and a path is read as a JSON pointer', () => {
  const condition = parseExact('{"path": "/id", "value": 1098765432109876543}') as unknown as typeof repo;
  expect(conditionLine(condition)).toBe('id: 1098765432109876543');
  expect(['/options/dry_run', '/a~1b/c~0d', '/x, and any value of y'].map(nameOfPath)).toEqual([
    'options.dry_run',
    '"a/b"."c~d"',
    '"x, and any value of y"',
  ]);
});

test('times are offered up to the limit, which is one of them', () => {
  expect(ttlChoices(28_800)).toEqual([900, 3600, 14_400, 28_800]);
  expect(ttlChoices(60)).toEqual([60]);
  expect([900, 28_800, 5400, 2_592_000, 86_400].map(ttlText)).toEqual([
    '15 min',
    '8 h',
    '1 h 30 min',
    '30 days',
    '1 day',
  ]);
});

test('a grant that is void says why', () => {
  expect(stateText({ state: 'used_up' })).toBe('used up');
  expect(stateText({ state: 'void', void_reason: 'policy_changed' })).toBe('void: the rules changed');
});
