import { expect, test } from 'vitest';
import { holdRows, keepPositions, mayDecide, type RowPositions } from './held-rows.js';

const items = (...keys: readonly string[]) => keys.map((key) => ({ key }));
const shown = (held: readonly { key: string }[] | undefined, current: readonly { key: string }[]) =>
  holdRows(held, current).map(({ item, isGone }) => `${item.key}${isGone ? ' gone' : ''}`);

test.each([
  ['is shown as it is while nothing holds it', undefined, ['b', 'a'], ['b', 'a']],
  ['keeps its order while it is held', ['a', 'b'], ['b', 'a'], ['a', 'b']],
  ['keeps the place of a row that left', ['a', 'b', 'c'], ['c', 'b'], ['a gone', 'b', 'c']],
  ['takes new rows at its end', ['b'], ['a', 'b'], ['b', 'a']],
])('a list %s', (_name, held, current, expected) => {
  expect(shown(held && items(...held), items(...current))).toEqual(expected);
});

test('a held row shows what is known of it now', () => {
  expect(holdRows([{ key: 'a', text: 'old' }], [{ key: 'a', text: 'new' }])[0]?.item.text).toBe('new');
});

const at = (atMs: number, ...rows: readonly string[]): RowPositions<string> => ({
  atMs,
  rows: rows.map((row, place) => ({ row, top: place * 40, bottom: place * 40 + 40 })),
});
const press = { row: 'b', y: 20, atMs: 1000, count: 1 };

test.each([
  ['on a row that was there', press, [at(400, 'b'), at(900, 'b')], true],
  ['on a row that is new where there was none', press, [at(900)], true],
  ['on a row that came to the place of another', press, [at(600, 'a', 'b'), at(900, 'b')], false],
  ['where another row was long ago', press, [at(300, 'a', 'b'), at(600, 'b'), at(900, 'b')], true],
  ['where the last row that was seen is another', press, [at(100, 'a', 'b')], false],
  ['that is the second at its place', { ...press, count: 2 }, [at(900, 'b')], false],
  ['of a key', { ...press, count: 0 }, [at(900, 'a', 'b')], true],
])('a press %s', (_name, pressed, kept, expected) => {
  expect(mayDecide(pressed, kept)).toBe(expected);
});

test('places are kept while they count', () => {
  const kept = [0, 100, 300, 700].reduce<readonly RowPositions<string>[]>(
    (all, atMs) => keepPositions(all, at(atMs)),
    [],
  );
  expect(kept.map(({ atMs }) => atMs)).toEqual([300, 700]);
});
