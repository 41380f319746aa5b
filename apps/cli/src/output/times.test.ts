// Times as people read them. The zone is set by the test: it decides what a local time is.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { toLocal, toRelative, toTimeOfDay } from './times.js';

afterEach(() => vi.unstubAllEnvs());

const now = Date.parse('2026-11-25T12:00:00Z');
const from = (distanceMs: number) => toRelative(new Date(now + distanceMs).toISOString(), now);

describe('a relative time', () => {
  it.each([
    [0, 'now'],
    [999, 'now'],
    [-12_000, '12 s ago'],
    [4 * 60_000 + 59_000, 'in 4 min'],
    [-59 * 60_000, '59 min ago'],
    [-3 * 3_600_000, '3 h ago'],
    [47 * 3_600_000, 'in 47 h'],
    [-5 * 86_400_000, '5 d ago'],
  ])('%d ms away is "%s"', (distanceMs, text) => {
    expect(from(distanceMs)).toBe(text);
  });

  it('is a local date from 30 days on', () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    expect(toRelative('2026-10-01T23:30:00Z', now)).toBe('2026-10-02');
  });
});

describe('a local time', () => {
  it.each([
    ['UTC', '2026-11-22T09:00:00Z'],
    ['Europe/Berlin', '2026-11-22T10:00:00+01:00'],
    ['America/St_Johns', '2026-11-22T05:30:00-03:30'],
  ])('in %s carries its offset', (zone, text) => {
    vi.stubEnv('TZ', zone);
    expect([toLocal('2026-11-22T09:00:00.123Z'), toLocal(Date.parse(text) / 1000)]).toEqual([text, text]);
    expect(toTimeOfDay('2026-11-22T09:00:00Z')).toBe(text.slice(11, 19));
  });

  it.each([[undefined], [null], ['yesterday'], [Number.MAX_VALUE]])('is undefined for %s', (value) => {
    expect([toLocal(value), toRelative(value, now)]).toEqual([undefined, undefined]);
  });
});
