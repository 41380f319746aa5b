// Cancels: they reach the upstream, they are their owner's, and what a key protects outlives its caller only.
import { type MemoryServer, type MemoryServerControl, maxInFlight } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { type CallInput, caller, connectPlane, correlation, hang, tool } from '../testing/start-plane.js';
import type { Outcome } from './call.js';

const s: MemoryServer = {
  definitions: { tools: [tool('slow'), tool('echo')] },
  handle: ({ params }) => (params.name === 'slow' ? hang() : { content: [] }),
};
const named = (requestId: string, more: Partial<CallInput> = {}): CallInput => ({
  kind: 'tool',
  id: 's.slow',
  correlation: { ...correlation, requestId },
  ...more,
});

async function endOf(call: Promise<Outcome>, server: (id: string) => MemoryServerControl) {
  const { error, retry } = (await call).envelope;
  const isSent = server('s')
    .requests()
    .some(({ params }) => params.name === 'echo');
  return { code: error?.code, state: retry.upstream_execution_state, isSent };
}

describe('cancel', () => {
  it('ends a call, notifies the upstream, and works for the owner of the call only', async () => {
    const { outcome, plane, server, clock } = await connectPlane({ s });
    const call = outcome(named('r'));
    await clock.advance(0);
    expect([await plane.cancel('stranger', 'r'), await plane.cancel('local', 'q')]).toEqual([false, false]);
    expect(server('s').cancels()).toEqual([]);
    expect(await plane.cancel('local', 'r')).toBe(true);
    expect((await call).envelope).toMatchObject({
      error: { code: 'OPERATION_CANCELLED', message: 'the operation was cancelled', retryable: false },
      retry: { classification: 'idempotent', upstream_execution_state: 'unknown' },
    });
    expect(server('s').cancels()).toHaveLength(1);
    expect(await plane.cancel('local', 'r')).toBe(false);
  });

  it('is the stored outcome of its key: a repeat does not run it again', async () => {
    const { outcome, plane, server, clock } = await connectPlane({ s });
    const call = outcome(named('r'));
    const joined = outcome(named('r'));
    await clock.advance(0);
    await plane.cancel('local', 'r');
    expect([(await call).envelope.error?.code, (await joined).envelope.error?.code]).toEqual(
      Array(2).fill('OPERATION_CANCELLED'),
    );
    expect((await outcome(named('r'))).kind).toBe('replayed');
    expect(server('s').requests()).toHaveLength(1);
  });

  it('before anything was sent leaves nothing behind: a repeat runs', async () => {
    const { outcome, plane, server } = await connectPlane({ s });
    const call = outcome(named('r', { id: 's.echo' }));
    expect(await plane.cancel('local', 'r')).toBe(true);
    expect((await call).envelope.retry.upstream_execution_state).toBe('not_started');
    expect((await outcome(named('r', { id: 's.echo' }))).envelope.ok).toBe(true);
    expect(server('s').requests()).toHaveLength(1);
  });

  // The number of promise turns between the event that frees a place, or loses the server, and the cancel.
  it.each([0, 1, 2, 3, 4, 5])(
    'of a call that just gets its place says whether it was sent (%i turns)',
    async (turns) => {
      const { outcome, plane, server, clock } = await connectPlane({ s });
      const gone = new AbortController();
      void outcome({ kind: 'tool', id: 's.slow', signal: gone.signal });
      for (let n = 1; n < maxInFlight; n += 1) void outcome({ kind: 'tool', id: 's.slow' });
      const queued = outcome(named('r', { id: 's.echo' }));
      await clock.advance(0);
      gone.abort();
      for (let turn = 0; turn < turns; turn += 1) await undefined;
      await plane.cancel('local', 'r');
      const { code, state, isSent } = await endOf(queued, server);
      expect([code ?? 'ok', state]).toEqual(
        isSent ? [code ?? 'ok', code === undefined ? 'completed' : 'unknown'] : ['OPERATION_CANCELLED', 'not_started'],
      );
    },
  );

  it.each([0, 1, 2, 3, 4, 5])(
    'of a call whose server is just lost says whether it was sent (%i turns)',
    async (turns) => {
      const { outcome, plane, server } = await connectPlane({ s });
      const call = outcome(named('r', { id: 's.echo' }));
      await undefined;
      server('s').drop('crashed');
      for (let turn = 0; turn < turns; turn += 1) await undefined;
      await plane.cancel('local', 'r');
      const { state, isSent } = await endOf(call, server);
      expect(state).toBe(isSent ? 'unknown' : 'not_started');
    },
  );

  it('of one that joined another leaves the other alone', async () => {
    const { outcome, plane, server } = await connectPlane({ s });
    const runner = outcome(named('a', { idempotencyKey: 'k' }));
    const joined = outcome(named('b', { idempotencyKey: 'k' }));
    await plane.cancel('local', 'b');
    expect((await joined).envelope.error?.code).toBe('OPERATION_CANCELLED');
    expect(server('s').cancels()).toEqual([]);
    await plane.cancel('local', 'a');
    expect((await runner).envelope.error?.code).toBe('OPERATION_CANCELLED');
  });

  it('ends every call under the id, where keys let there be several', async () => {
    const { outcome, plane } = await connectPlane({ s });
    const calls = ['k1', 'k2'].map((idempotencyKey) => outcome(named('r', { idempotencyKey })));
    expect(await plane.cancel('local', 'r')).toBe(true);
    for (const call of calls) expect((await call).envelope.error?.code).toBe('OPERATION_CANCELLED');
  });

  it('ends a batch as a whole', async () => {
    const { plane, server } = await connectPlane({ s });
    const step = (id: string, tool: string) => ({ id, capability_id: `s.${tool}`, args: {}, continue_on_error: true });
    const batch = plane.executeBatch({
      steps: [step('a', 'echo'), step('b', 'slow'), step('c', 'echo')],
      correlation: { ...correlation, requestId: 'r' },
      caller,
      signal: new AbortController().signal,
      idempotencyKey: null,
    });
    await expect.poll(() => server('s').requests().length).toBe(2);
    expect(await plane.cancel('local', 'r')).toBe(true);
    const { ok, results } = await batch;
    expect([ok, results.map(({ error }) => error?.split(':')[0])]).toEqual([
      false,
      [undefined, 'OPERATION_CANCELLED'], // nothing begins once it is cancelled
    ]);
    expect(server('s').requests()).toHaveLength(2);
  });
});

describe('a caller that goes away', () => {
  it('ends its call where no key protects it', async () => {
    const { outcome, server, clock } = await connectPlane({ s });
    const gone = new AbortController();
    const call = outcome({ kind: 'tool', id: 's.slow', signal: gone.signal });
    await clock.advance(0);
    gone.abort();
    expect((await call).envelope.error).toMatchObject({ message: 'the caller went away' });
    expect(server('s').cancels()).toHaveLength(1);
  });

  it('does not end a call that has a key', async () => {
    const { outcome, server, plane, clock } = await connectPlane({ s });
    const gone = new AbortController();
    const call = outcome(named('r', { signal: gone.signal }));
    await clock.advance(0);
    gone.abort();
    await clock.advance(0);
    expect([server('s').requests().length, server('s').cancels()]).toEqual([1, []]);
    await plane.cancel('local', 'r');
    await call;
  });
});

describe('the end of the service', () => {
  it('ends what a key protects as well, once the grace is over', async () => {
    const { outcome, plane, clock } = await connectPlane({ s });
    const call = outcome(named('r'));
    await clock.advance(0);
    const closed = plane.close(3000);
    await clock.advance(3000);
    expect((await call).envelope.error).toMatchObject({ message: 'the service is stopping' });
    await closed;
    expect([clock.now(), clock.sleeping()]).toEqual([3000, 0]);
  });
});
