import { expect, test } from 'vitest';
import { argumentsInRow, bySoonest, canDecideInRow } from './tickets.js';

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
const entry = (key: string, value: string, depth = 0, redacted = false) => ({ depth, key, value, redacted });
const withEntries = (...entries: readonly ReturnType<typeof entry>[]) => ({
  ...view,
  arguments: { ...view.arguments, entries: [...entries] },
});
const long = { ...view.arguments, entries: [{ depth: 0, key: 'q', value: 'x'.repeat(300), redacted: false }] };

test.each([
  ['with all of its arguments', view, true],
  ['with arguments that are cut', { ...view, arguments: { ...view.arguments, complete: false } }, false],
  ['with more arguments than a row shows', { ...view, arguments: long }, false],
  ['with a value that is redacted by its name', withEntries(entry('token', '[REDACTED]', 0, true)), false],
  ['with a text that is redacted in part', withEntries(entry('q', '"a" (redacted in part; 9 characters)')), false],
  ['with a name that is redacted', withEntries(entry('[REDACTED]', '1')), false],
  ['with arguments in arguments', withEntries(entry('o', 'object of 1 key'), entry('dry_run', 'true', 1)), true],
  ['without arguments', withEntries(), true],
  ['whose definition changed', { ...view, reasked: true }, false],
])('a ticket %s', (_name, shown, expected) => {
  expect(canDecideInRow({ view: shown })).toBe(expected);
});

test('an argument in a row has the path that it is at', () => {
  const { arguments: shown } = withEntries(
    entry('options', 'object of 2 keys'),
    entry('dry_run', 'true', 1),
    entry('tables', 'list of 1 entry', 1),
    entry('[0]', '"users"', 2),
    entry('table', '"x"'),
  );
  expect(argumentsInRow(shown)).toBe(
    'options: object of 2 keys, options.dry_run: true, options.tables: list of 1 entry, options.tables[0]: "users", table: "x"',
  );
  expect(argumentsInRow(withEntries().arguments)).toBe('(no arguments)');
});

test('the ticket that expires first is the first, and of equals the one that was asked first', () => {
  const ticket = (id: string, expires: number) => ({ id, expires_at: expires });
  const newestFirst = [ticket('d', 2), ticket('c', 1), ticket('b', 1), ticket('a', 3)];
  expect(bySoonest(newestFirst).map(({ id }) => id)).toEqual(['b', 'c', 'd', 'a']);
});
