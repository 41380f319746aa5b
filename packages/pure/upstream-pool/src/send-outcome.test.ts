// What a passed deadline says of a server, by what its session knows.
import { expect, it } from 'vitest';
import { isFault, toOutcome } from './send-outcome.js';
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
