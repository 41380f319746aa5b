import { expect, test } from 'vitest';
import { bySoonest, canDecideInRow } from './row-rules.js';

const view = {
  arguments: {
    entries: [{ depth: 0, key: 'table', value: '"users"', redacted: false }],
    omitted: 0,
    complete: true,
  },
  definition_digest: 'd',
  description: null,
  reasked: false,
  changes: [],
  changes_complete: true,
};
const long = { ...view.arguments, entries: [{ depth: 0, key: 'q', value: 'x'.repeat(300), redacted: false }] };

test.each([
  ['with all of its arguments', view, true],
  ['with arguments that are cut', { ...view, arguments: { ...view.arguments, complete: false } }, false],
  ['with more arguments than a row shows', { ...view, arguments: long }, false],
  ['whose definition changed', { ...view, reasked: true }, false],
])('a ticket %s', (_name, shown, expected) => {
  expect(canDecideInRow({ view: shown })).toBe(expected);
});

test('the ticket that expires first is the first, and of equals the one that was asked first', () => {
  const ticket = (id: string, expires: number) => ({ id, expires_at: expires });
  const newestFirst = [ticket('d', 2), ticket('c', 1), ticket('b', 1), ticket('a', 3)];
  expect(bySoonest(newestFirst).map(({ id }) => id)).toEqual(['b', 'c', 'd', 'a']);
});
