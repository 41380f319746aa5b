import { expect, test } from 'vitest';
import { matchLine, metLine } from './match-line.js';

const things = (...ids: readonly string[]) => ids.map((id) => ({ kind: 'tool' as const, id }));

test.each([
  [{ total: 0, items: [] }, 0, 'Matches nothing that is listed. No verdict changes.'],
  [{ total: 2, items: things('a.x', 'a.y') }, 1, 'Matches 2: a.x, a.y. 1 verdict changes.'],
  [{ total: 200, items: things('a', 'b', 'c', 'd') }, 4, 'Matches 200: a, b, c and 197 more. 4 verdicts change.'],
])('%j with %i changes', (matches, total, expected) => {
  expect(matchLine({ matches, changed: { total, items: [] } })).toBe(expected);
});

test.each([
  [0, 'Matches nothing that is listed. No verdict would change.'],
  [1, 'Matches nothing that is listed. 1 verdict would change.'],
  [4, 'Matches nothing that is listed. 4 verdicts would change.'],
])('a rule on trial with %i changes changes nothing yet', (total, expected) => {
  expect(matchLine({ matches: { total: 0, items: [] }, changed: { total, items: [] } }, 'trial')).toBe(expected);
});

test('a rule says what it matches and how often it was met, as far as that is counted', () => {
  const rule = { path: 'policy.deny[0]', list: 'deny', pattern: 'a', mode: 'enforce', last_hit: null, last_call: null } as const;
  expect(metLine({ ...rule, matches: 1, hits: 2 })).toBe('1 match, 2 hits');
  expect(metLine({ ...rule, matches: 3, hits: null })).toBe('3 matches');
  expect(metLine(undefined)).toBe('');
});
