// The schedule as literals: what a user sees between restarts, and when it ends.
import { defaultResilience } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { nextAttempt, retryDelayMs } from './restart-schedule.js';

describe('retryDelayMs', () => {
  it.each([
    [1, 500],
    [2, 1000],
    [3, 2000],
    [4, 4000],
    [5, 8000],
    [6, 16_000],
    [7, 30_000],
    [8, 30_000],
    [5000, 30_000],
  ])('before retry %i it is %i ms', (retry, delayMs) => {
    expect(retryDelayMs(retry)).toBe(delayMs);
  });
});

describe('nextAttempt', () => {
  const resilience = { ...defaultResilience, maxRestarts: 2 };

  it.each([
    { what: 'a child within its restarts', retry: 2, isChild: true, settings: resilience, delayMs: 1000 },
    { what: 'an HTTP server, without end', retry: 99, isChild: false, settings: resilience, delayMs: 30_000 },
    {
      what: 'an HTTP server, whatever autoRestart says',
      retry: 1,
      isChild: false,
      settings: { ...resilience, autoRestart: false },
      delayMs: 500,
    },
  ])('retries $what', ({ retry, isChild, settings, delayMs }) => {
    expect(nextAttempt(retry, isChild, settings)).toEqual({ kind: 'retry', delayMs });
  });

  it.each([
    {
      what: 'a child past its restarts',
      retry: 3,
      settings: resilience,
      reason: 'gave up after 2 restarts (maxRestarts)',
    },
    {
      what: 'a child with autoRestart off',
      retry: 1,
      settings: { ...resilience, autoRestart: false },
      reason: 'autoRestart is off',
    },
    {
      what: 'a child that may not restart at all',
      retry: 1,
      settings: { ...resilience, maxRestarts: 0 },
      reason: 'gave up after 0 restarts (maxRestarts)',
    },
  ])('stops $what', ({ retry, settings, reason }) => {
    expect(nextAttempt(retry, true, settings)).toEqual({ kind: 'stop', reason, isGivenUp: settings.autoRestart });
  });
});
