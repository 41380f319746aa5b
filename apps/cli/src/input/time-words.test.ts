// Values of --since and --until, in a zone that is not UTC and has a change of its clocks.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toEnd, toStart } from './time-words.js';

beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  vi.useFakeTimers({ now: Date.parse('2026-11-25T12:00:00Z'), toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

describe('a time on the command line', () => {
  it.each([
    ['now', '2026-11-25T12:00:00.000Z', '2026-11-25T12:00:00.000Z'],
    ['today', '2026-11-24T23:00:00.000Z', '2026-11-25T22:59:59.999Z'],
    ['Yesterday', '2026-11-23T23:00:00.000Z', '2026-11-24T22:59:59.999Z'],
    ['30m', '2026-11-25T11:30:00.000Z', '2026-11-25T11:30:00.000Z'],
    ['1h', '2026-11-25T11:00:00.000Z', '2026-11-25T11:00:00.000Z'],
    ['7d', '2026-11-18T12:00:00.000Z', '2026-11-18T12:00:00.000Z'],
    ['2 h ago', '2026-11-25T10:00:00.000Z', '2026-11-25T10:00:00.000Z'],
    ['2026-11-22', '2026-11-21T23:00:00.000Z', '2026-11-22T22:59:59.999Z'],
    ['2026-11-22T10:00', '2026-11-22T09:00:00.000Z', '2026-11-22T09:00:00.000Z'],
    ['2026-11-22 10:00:30', '2026-11-22T09:00:30.000Z', '2026-11-22T09:00:30.000Z'],
    ['2026-11-22T10:00:00Z', '2026-11-22T10:00:00.000Z', '2026-11-22T10:00:00.000Z'],
    ['2026-11-22T10:00:00-05:00', '2026-11-22T15:00:00.000Z', '2026-11-22T15:00:00.000Z'],
    ['1790000000', '1790000000', '1790000000'],
    ['2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'], // a day of 25 hours
  ])('%s starts at %s and ends at %s', (text, start, end) => {
    expect([toStart(text), toEnd(text)]).toEqual([start, end]);
  });

  it.each(['', 'soon', '2026-02-30', '2026-13-01', '2026-11-22T25:00', '5y', '12', '2026-11-22T10:00:00+99:99'])(
    'refuses "%s" and names the accepted forms',
    (text) => {
      expect(() => toStart(text)).toThrow(/Accepted are: yesterday, today, now, 30m, 1h, 7d, 2026-11-22, /);
    },
  );

  it.each([
    ['yestrday', 'yesterday'],
    ['todya', 'today'],
  ])('takes "%s" for a misspelt "%s"', (text, nearest) => {
    expect(() => toEnd(text)).toThrow(`Did you mean ${nearest}? Accepted are`);
  });
});
