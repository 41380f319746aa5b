import { expect, test } from 'vitest';
import { matchLine, pastLine } from './match-line.js';

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

const past = { since: '', oldest: null, complete: true, durable: true, records: 9, undetermined: 0 };
const changedCall = {
  kind: 'tool' as const,
  id: 'a',
  from: 'allow' as const,
  to: 'deny' as const,
  role: null,
  profile: null,
};
const changes = (...calls: readonly number[]) => ({
  total: calls.length,
  items: calls.map((each) => ({ ...changedCall, calls: each, last: { id: 'r', timestamp: '' } })),
});

test.each([
  [{ calls: 0, changed: changes() }, 'There were no calls since yesterday to try it against.'],
  [{ calls: 1, changed: changes() }, 'Of 1 call since yesterday, none would have met another verdict.'],
  [{ calls: 12, changed: changes(3, 4) }, 'Of 12 calls since yesterday, 7 would have met another verdict.'],
  [
    { calls: 12, changed: changes(3), complete: false, undetermined: 2 },
    'Of the last 12 calls since yesterday, 3 would have met another verdict. 2 cannot be judged.',
  ],
])('%j is tried against the calls since yesterday', (counts, expected) => {
  expect(pastLine({ ...past, ...counts })).toBe(expected);
});
