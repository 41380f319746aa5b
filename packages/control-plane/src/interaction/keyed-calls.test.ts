// Calls under an idempotency key that wait for their callers: run once, for any end of the wait.
import type { JsonObject } from '@portico/contracts';
import { type MemoryServer, type ServerRequest, UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import { type CallInput, connectPlane, stopped, tool, traceId } from '../testing/start-plane.js';
import { parkedMs } from './parked-calls.js';

const question: ServerRequest = { method: 'elicitation/create', params: { mode: 'form', message: 'who?' } };
const answer: JsonObject = { action: 'accept', content: { name: 'Ann' } };

/** Asks while the call runs, as servers did until 2025-11-25, and can end the call by itself on request. */
function askingServer(questions = 1) {
  let end: (result: JsonObject | Error) => void = () => {};
  const server: MemoryServer = {
    definitions: { tools: [tool('ask'), tool('plain')] },
    async handle({ params }, signal, handler) {
      if (params.name === 'plain') return { content: [] };
      const byItself = new Promise<JsonObject>((resolve, reject) => {
        end = (result) => (result instanceof Error ? reject(result) : resolve(result));
      });
      const asked = async () => {
        const replies: (JsonObject | undefined)[] = [];
        for (let count = 0; count < questions; count += 1)
          replies.push(await handler?.onServerRequest(question, signal));
        return { content: [], structuredContent: { replies } as JsonObject };
      };
      return Promise.race([asked(), byItself]);
    },
  };
  return { server, end: (result: JsonObject | Error) => end(result) };
}

const ask: CallInput = { kind: 'tool', id: 's.ask', args: { n: 1 } };
const keyed: CallInput = { ...ask, idempotencyKey: 'k' };
const withRequestId = (requestId: string | null): CallInput => ({ ...ask, correlation: { requestId, traceId } });

const dataOf = (envelope: { readonly data: unknown }) => envelope.data as JsonObject; // of an answered call
const stateOf = (envelope: { readonly data: unknown }) => String(dataOf(envelope).requestState);
const resume = (asked: { readonly data: unknown }, answers: JsonObject = { q1: answer }) => ({
  requestState: stateOf(asked),
  inputResponses: answers,
});

describe('a call under a key that waits for its caller', () => {
  it('is in flight in the ledger, and has a permanently unknown outcome after the service is killed', async () => {
    const stores = createMemoryStores(stopped);
    const first = await connectPlane({ s: askingServer().server }, {}, stores);
    const asked = await first.execute(keyed);
    expect(await stores.ledger.get('local', 'k', 0)).toMatchObject({ completedAtMs: null });

    const second = await connectPlane({ s: askingServer().server }, {}, stores);
    await second.plane.recover();
    const unknown = {
      ok: false,
      error: { code: 'INTERNAL_ERROR', retryable: false },
      retry: { upstream_execution_state: 'unknown' },
    };
    expect(await second.outcome(keyed)).toMatchObject({ kind: 'replayed', envelope: unknown });
    expect(await second.outcome({ ...keyed, ...resume(asked) })).toMatchObject({ kind: 'replayed', envelope: unknown });
    expect(second.server('s').requests()).toEqual([]);
  });

  it.each<[string, JsonObject | Error, object]>([
    [
      'answers',
      { content: [], structuredContent: { by: 'itself' } },
      { data: { structuredContent: { by: 'itself' } } },
    ],
    [
      'answers with an error',
      new UpstreamFailure('no', { kind: 'rejected', error: { code: -32603, message: 'tired' } }),
      { error: { code: 'UPSTREAM_ERROR', rpc_error: { message: 'tired' } } },
    ],
    [
      'is lost',
      new UpstreamFailure('it is gone', { kind: 'unreachable', sent: true }),
      { error: { code: 'SERVER_UNREACHABLE' }, retry: { upstream_execution_state: 'unknown' } },
    ],
  ])('has the outcome that its server %s with in between, and a record of it', async (_what, result, outcome) => {
    const { server, end } = askingServer();
    const plane = await connectPlane({ s: server });
    const asked = await plane.execute(keyed);
    end(result);
    await plane.clock.advance(0);
    expect(await plane.outcome(keyed)).toMatchObject({ kind: 'replayed', envelope: outcome });
    expect(await plane.outcome({ ...keyed, ...resume(asked) })).toMatchObject({ kind: 'replayed', envelope: outcome });
    expect(plane.server('s').requests()).toHaveLength(1);
    const records = plane.audit.kept().map(({ event_type, is_replay }) => `${event_type} ${is_replay}`);
    expect(records.sort()).toEqual([
      'idempotent_replay true',
      'idempotent_replay true',
      'tool_call false',
      'tool_call false',
    ]);
  });

  // The repeat, or the answer to the question, comes this many turns of promises after the server has answered by
  // itself.
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'gives its outcome to requests that come just then (%i turns)',
    async (turns) => {
      const { server, end } = askingServer();
      const { execute, outcome } = await connectPlane({ s: server });
      for (const [key, isAnswer] of [
        ['k1', false],
        ['k2', true],
      ] as const) {
        const call = { ...ask, args: { n: key }, idempotencyKey: key };
        const asked = await execute(call);
        end({ content: [], structuredContent: { by: 'itself' } });
        for (let turn = 0; turn < turns; turn += 1) await undefined;
        const next = await execute(isAnswer ? { ...call, ...resume(asked) } : call);
        const kept = await outcome(call);
        expect(kept).toMatchObject({ kind: 'replayed', envelope: { data: { structuredContent: { by: 'itself' } } } });
        // A repeat that came first is asked once more; nothing else but the outcome is an answer.
        if (dataOf(next)?.resultType !== 'input_required') expect(next.data).toEqual(kept.envelope.data);
      }
    },
  );

  it('has the outcome of its time being over', async () => {
    const { execute, outcome, clock, server } = await connectPlane({ s: askingServer().server });
    await execute(keyed);
    await clock.advance(parkedMs);
    expect(await outcome(keyed)).toMatchObject({
      kind: 'replayed',
      envelope: {
        error: { code: 'OPERATION_CANCELLED', message: 'no caller answered within 300 s' },
        retry: { upstream_execution_state: 'unknown' },
      },
    });
    expect(server('s').requests()).toHaveLength(1);
  });

  it.each([
    ['a key', { ...keyed, ...withRequestId('r'), idempotencyKey: 'k' }],
    ['a request id', withRequestId('r')],
  ])('under %s has the outcome of its cancel, and a record of it', async (_what, call) => {
    const { execute, outcome, plane, audit, server } = await connectPlane({ s: askingServer().server });
    await execute(call);
    expect(await plane.cancel('local', 'r')).toBe(true);
    expect(audit.kept().map(({ status }) => status)).toEqual(['intercepted', 'cancelled']);
    expect(await outcome(call)).toMatchObject({
      kind: 'replayed',
      envelope: { error: { code: 'OPERATION_CANCELLED' } },
    });
    expect(server('s').requests()).toHaveLength(1);
  });

  it('has the outcome of the end of the service', async () => {
    const stores = createMemoryStores(stopped);
    const { execute, plane } = await connectPlane({ s: askingServer().server }, {}, stores);
    await execute(keyed);
    await plane.close(5000);
    const record = await stores.ledger.get('local', 'k', 0);
    expect(JSON.parse(record?.response ?? '')).toMatchObject({ error: { code: 'OPERATION_CANCELLED' } });
    expect(record?.completedAtMs).not.toBeNull();
  });

  it.each([
    ['another key', { idempotencyKey: 'other' }],
    ['no key', { idempotencyKey: null }],
  ])('is not resumed with its state and %s', async (_what, key) => {
    const { execute, outcome, server } = await connectPlane({ s: askingServer().server });
    const asked = await execute(keyed);
    expect(await execute({ ...keyed, ...resume(asked), ...key })).toMatchObject({
      error: { code: 'INVALID_ARGS' },
      retry: { upstream_execution_state: 'not_started' },
    });
    expect((await execute({ ...keyed, ...resume(asked) })).ok).toBe(true);
    expect((await outcome(keyed)).kind).toBe('replayed');
    expect(server('s').requests()).toHaveLength(1);
  });

  it('begun without one is not resumed under a key', async () => {
    const { execute } = await connectPlane({ s: askingServer().server });
    const asked = await execute(ask);
    expect((await execute({ ...keyed, ...resume(asked) })).error?.code).toBe('INVALID_ARGS');
    expect((await execute({ ...ask, ...resume(asked) })).ok).toBe(true);
  });

  it.each([
    ['the same', 'r'],
    ['another', 'r2'],
    ['no', null],
  ])(
    'of a request id is resumed with %s request id, and its first request is answered from then on',
    async (_what, id) => {
      const { execute, outcome, server } = await connectPlane({ s: askingServer().server });
      const asked = await execute(withRequestId('r'));
      const done = await execute({ ...withRequestId(id), ...resume(asked) });
      expect(done.ok).toBe(true);
      const repeat = await outcome(withRequestId('r'));
      expect(repeat.kind).toBe('replayed');
      expect(repeat.envelope.data).toEqual(done.data);
      expect(server('s').requests()).toHaveLength(1);
    },
  );

  it('continues through all its questions under the one key, and keeps waiting after an invalid state or answer', async () => {
    const { execute, outcome, server, ledger } = await connectPlane({ s: askingServer(2).server });
    const first = await execute(keyed);
    expect((await execute({ ...keyed, requestState: 'x', inputResponses: {} })).error?.code).toBe('INVALID_ARGS');
    expect((await execute({ ...keyed, ...resume(first, { q1: { action: 'maybe' } }) })).error?.code).toBe(
      'INVALID_ARGS',
    );
    const second = await execute({ ...keyed, ...resume(first) });
    expect(dataOf(second).inputRequests).toEqual({ q2: question });
    expect(dataOf(await execute(keyed)).inputRequests).toEqual({ q2: question });
    expect(await ledger.get('local', 'k', 0)).toMatchObject({ completedAtMs: null });
    const done = await execute({ ...keyed, ...resume(second, { q2: answer }) });
    expect(await outcome(keyed)).toMatchObject({ kind: 'replayed', envelope: done });
    expect(server('s').requests()).toHaveLength(1);
  });

  it('passes the answers to its server once, for any number of repeats', async () => {
    const { execute, outcome, server } = await connectPlane({ s: askingServer().server });
    const asked = await execute(keyed);
    const turn = { ...keyed, ...resume(asked) };
    const [one, two] = await Promise.all([outcome(turn), outcome(turn)]);
    expect([one.kind, two.kind].sort()).toEqual(['answered', 'replayed']);
    expect(one.envelope.data).toEqual(two.envelope.data);
    expect(server('s').requests()).toHaveLength(1);
  });

  it('says so where its outcome cannot be kept, and is not run again', async () => {
    const stores = createMemoryStores(stopped);
    const complete = () => Promise.reject(new Error('disk full'));
    const failing = { ...stores, ledger: { ...stores.ledger, complete } };
    const { execute, clock, log, server } = await connectPlane({ s: askingServer().server }, {}, failing);
    await execute(keyed);
    await clock.advance(parkedMs);
    expect(log.map(({ message }) => message)).toContain(
      'the outcome of a call that waited for its caller could not be kept',
    );
    expect((await execute(keyed)).error?.code).toBe('INTERNAL_ERROR');
    expect(server('s').requests()).toHaveLength(1);
  });
});

describe('an approved call under a key that waits for its caller', () => {
  const gate = { policy: { requireApproval: ['s.*'] } };

  async function approved(call: CallInput) {
    const { server, end } = askingServer();
    const started = await connectPlane({ s: server }, gate);
    await started.execute(call);
    await started.plane.approvals.approve('appr-0-1', 'ann', null);
    return { ...started, end, asked: await started.execute(call) };
  }

  it.each([
    ['a key', keyed],
    ['a request id', withRequestId('r')],
  ])('of %s is resumed once, and asks for no other approval', async (_what, call) => {
    const { execute, outcome, asked, plane, server } = await approved(call);
    const done = await execute({ ...call, ...resume(asked) });
    expect(done.ok).toBe(true);
    expect(await outcome(call)).toMatchObject({ kind: 'replayed', envelope: done });
    expect(server('s').requests()).toHaveLength(1);
    expect((await plane.approvals.list({ limit: 9, offset: 0 })).total).toBe(1);
  });

  it('has the outcome that its server ends it with', async () => {
    const { outcome, end, clock, server } = await approved(keyed);
    end({ content: [], structuredContent: { by: 'itself' } });
    await clock.advance(0);
    const stored = { kind: 'replayed', envelope: { data: { structuredContent: { by: 'itself' } } } };
    expect(await outcome(keyed)).toMatchObject(stored);
    expect(server('s').requests()).toHaveLength(1);
  });

  it('is not run again after a kill', async () => {
    const { ledger, tickets, audit, samplingTickets, tasks, feed, vectors, definitions, ...rest } =
      await approved(keyed);
    const { asked, budgetAccounts, grantStore } = rest;
    const kept = { samplingTickets, tasks, feed, vectors, definitions, budgetAccounts, grantStore };
    const stores = { ledger, tickets, audit, ...kept };
    const second = await connectPlane({ s: askingServer().server }, gate, stores);
    await second.plane.recover();
    expect((await second.execute(keyed)).error?.code).toBe('INTERNAL_ERROR');
    expect((await second.execute({ ...keyed, ...resume(asked) })).error?.code).toBe('INTERNAL_ERROR');
    expect(second.server('s').requests()).toEqual([]);
  });
});
