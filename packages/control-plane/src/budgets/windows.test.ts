import { expect, it } from 'vitest';
import { slotOf } from './windows.js';

const at = (text: string) => Date.parse(text);

it.each([
  ['minute', '2026-11-26T06:30:00Z', '2026-11-26T06:31:00Z'],
  ['hour', '2026-11-26T06:00:00Z', '2026-11-26T07:00:00Z'],
  ['day', '2026-11-26T00:00:00Z', '2026-11-27T00:00:00Z'],
  ['week', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00Z'],
  ['month', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
] as const)('a %s is from %s to %s', (window, start, end) => {
  const slot = { startMs: at(start), endMs: at(end) };
  for (const moment of [slot.startMs, at('2026-11-26T06:30:15Z'), slot.endMs - 1])
    expect(slotOf(window, moment)).toEqual(slot);
  expect(slotOf(window, slot.endMs).startMs).toBe(slot.endMs);
});

it('a month in December ends with the year, and a total never ends', () => {
  expect(slotOf('month', at('2026-12-31T23:59:59Z')).endMs).toBe(at('2027-01-01T00:00:00Z'));
  expect(slotOf('total', at('2026-12-31T23:59:59Z'))).toEqual({ startMs: 0, endMs: null });
});
