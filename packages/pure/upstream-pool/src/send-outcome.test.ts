// The meaning of a passed deadline for a server, by the state of its session.
import { expect, it } from 'vitest';
import { isFault, notConnected, toOutcome } from './send-outcome.js';
import { NotSent, Unasked } from './session.js';
import { DeadlinePassed } from './signals.js';

const late = AbortSignal.abort(new DeadlinePassed(100));

it.each([
  ['nothing', late.reason, { kind: 'aborted', sent: true }, true],
  [
    'that it had asked what could be put to nobody',
    new Unasked('of two calls', false),
    { kind: 'aborted', sent: true, unasked: 'of two calls' },
    false,
  ],
  ['what it waited for', new NotSent('a process'), { kind: 'aborted', sent: false, waitedFor: 'a process' }, false],
] as const)('a call out of time of which the session knows %s', (_what, error, outcome, counts) => {
  expect(toOutcome(error, late)).toEqual(outcome);
  expect(isFault(toOutcome(error, late), late, false)).toBe(counts);
});

it.each([
  [{ status: 'disabled', lastError: 'x', isGivenUp: false }, { isDisabled: true }],
  [
    { status: 'disabled', lastError: 'x', isGivenUp: true, retryMs: 300_000 },
    { isDisabled: true, retryMs: 300_000 },
  ],
  [{ status: 'degraded', lastError: 'x' }, {}],
] as const)('a request at a server that is %j says so', (connection, more) => {
  const reason = `server "s" is ${connection.status}: x`;
  expect(notConnected('s', connection)).toEqual({ kind: 'unreachable', reason, sent: false, ...more });
});
