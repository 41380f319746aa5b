// The step that sends, over a pool that a test plays: what only a race could show from outside.
import { DeadlinePassed, type SendOutcome, type UpstreamPool } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import type { Target } from '../../call/target.js';
import { invoke } from './invoke.js';

const target: Target = { kind: 'tool', server: 's', id: 's.wipe', names: [['s.wipe']], name: 'wipe' };
const request = { method: 'tools/call', params: {} } as const;

function poolOf(outcome: SendOutcome | undefined): Pick<UpstreamPool, 'get'> {
  const upstream = outcome && { id: 's', send: async () => outcome };
  return { get: () => upstream as ReturnType<UpstreamPool['get']> }; // only `send` is used here
}

const run = (outcome: SendOutcome | undefined, signal = new AbortController().signal) =>
  invoke(poolOf(outcome), target, request, { signal, atMs: 0 });

describe('invoke', () => {
  it('says of a deadline that passed in the queue that nothing was sent', async () => {
    const signal = AbortSignal.abort(new DeadlinePassed(200));
    await expect(run({ kind: 'aborted', sent: false }, signal)).rejects.toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      message: 'no free place at server "s" within 200 ms (toolTimeoutMs)',
      retry: { classification: 'safe', upstream_execution_state: 'not_started' },
    });
  });

  it('says what a call waited for that had a place but was not sent', async () => {
    const signal = AbortSignal.abort(new DeadlinePassed(200));
    const waitedFor = 'another waits for its caller';
    await expect(run({ kind: 'aborted', sent: false, waitedFor }, signal)).rejects.toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      message: 'server "s" could not be sent the call within 200 ms (toolTimeoutMs): another waits for its caller',
      retry: { classification: 'safe', upstream_execution_state: 'not_started' },
    });
  });

  it('says that a server is not running which is not mounted yet, or no longer', async () => {
    await expect(run(undefined)).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: 'server "s" is not running',
      retry: { classification: 'safe', upstream_execution_state: 'not_started' },
    });
  });
});
