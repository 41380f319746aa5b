import { expect, it } from 'vitest';
import { timeColumn } from './columns.js';

const now = Date.parse('2026-11-26T00:30:00Z');

it.each([
  ['its time of day, also of the evening before', '2026-11-25T21:30:05Z', expect.stringMatching(/^\d\d:\d\d:\d5$/)],
  ['how long ago it was after twelve hours', '2026-11-25T12:29:59Z', '12 h ago'],
  ['how many days ago it was', '2026-11-21T00:00:00Z', '5 d ago'],
])('a call is shown with %s', (_what, timestamp, shown) => {
  expect(timeColumn(false, now).cell?.({ timestamp })).toEqual(shown);
});
