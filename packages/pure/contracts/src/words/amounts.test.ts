import { expect, test } from 'vitest';
import { formatAgo, formatCount, formatDuration, plural } from './amounts.js';

test.each([
  [0.25, '250 µs'],
  [12.4, '12 ms'],
  [1500, '1.5 s'],
  [61_000, '1 min 1 s'],
  [3_700_000, '1 h 1 min'],
  [90_000_000, '1 d 1 h'],
])('%d ms reads %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('counts have their unit', () => {
  expect([plural(1, 'server'), plural(0, 'server'), plural(2, 'entry', 'entries')]).toEqual([
    '1 server',
    '0 servers',
    '2 entries',
  ]);
  expect(formatCount(12_345)).toBe('12,345');
});

test.each([
  [400, 'now'],
  [12_000, '12 s ago'],
  [61_000, '1 min ago'],
  [7_300_000, '2 h ago'],
  [90_000_000, '1 day ago'],
  [-250_000, 'in 4 min'],
])('a time %d ms before reads %s', (ms, text) => {
  expect(formatAgo(1_000_000_000 - ms, 1_000_000_000)).toBe(text);
});
