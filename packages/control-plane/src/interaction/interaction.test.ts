// Calls with more than one turn: questions of both eras, put to callers who answer at once or come back.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import { type MemoryServer, type ServerRequest, UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import type { CallClient } from '../call/client.js';
import { type CallInput, connectPlane, hang, tool } from '../testing/start-plane.js';
import { parkedMs } from './parked-calls.js';

const question: ServerRequest = { method: 'elicitation/create', params: { mode: 'form', message: 'who?' } };
const answer: JsonObject = { action: 'accept', content: { name: 'Ann' } };

/** Asks while the call runs, as servers did until 2025-11-25, and answers with the reply. */
const legacy: MemoryServer = {
  definitions: { tools: [tool('ask'), tool('ask_twice'), tool('plain')] },
  async handle({ params }, signal, handler) {
    if (params.name === 'plain') return { content: [] };
    const replies = [await handler?.onServerRequest(question, signal)];
    if (params.name === 'ask_twice') replies.push(await handler?.onServerRequest(question, signal));
    return { content: [], structuredContent: { replies } as JsonObject };
  },
};

/** Answers with questions first, as servers do since 2026-07-28. */
const modern: MemoryServer = {
  protocolVersion: '2026-07-28',
  definitions: { tools: [tool('ask')] },
  handle({ params }, _signal, handler) {
    if (params.requestState === undefined) {
      const inputRequests = { who: { ...question } } as unknown as JsonObject;
      return { resultType: 'input_required', inputRequests, requestState: 'opaque.%00é' };
    }
    const { requestState, inputResponses } = params;
    return { content: [], structuredContent: { requestState, inputResponses, asks: handler?.capabilities ?? null } };
  },
};

const ask: CallInput = { kind: 'tool', id: 's.ask', args: { n: 1 } };
const elicits = { elicitation: { form: {}, url: {} } };

/** A client that is asked while its call runs. */
function liveClient(
  reply: (question: ServerRequest, signal: AbortSignalLike) => Promise<JsonObject>,
  more: object = {},
) {
  const asked: ServerRequest[] = [];
  const client: CallClient = {
    capabilities: elicits,
    ask(put, signal) {
      asked.push(put);
      return reply(put, signal);
    },
    ...more,
  };
  return { client, asked };
}

const dataOf = (envelope: { readonly data: unknown }) => envelope.data as JsonObject; // of an answered call
const stateOf = (envelope: { readonly data: unknown }) => String(dataOf(envelope).requestState);
const resume = (requestState: string, answers: JsonObject = { q1: answer }) => ({
  requestState,
  inputResponses: answers,
});

describe('a caller that comes back, over a server that asks while the call runs', () => {
  it('gets the question, and the result once it has answered', async () => {
    const { execute, server } = await connectPlane({ s: legacy });
    const asked = await execute(ask);
    expect(asked).toMatchObject({
      ok: true,
      retry: { classification: 'unsafe', upstream_execution_state: 'unknown' },
      data: { resultType: 'input_required', inputRequests: { q1: question } },
    });
    const answered = await execute({ ...ask, ...resume(stateOf(asked)) });
    expect(answered).toMatchObject({
      ok: true,
      retry: { upstream_execution_state: 'completed' },
      data: { structuredContent: { replies: [answer] } },
    });
    expect(server('s').requests()).toHaveLength(1);
  });

  it('gets the next question under a key and a state of its own', async () => {
    const { execute } = await connectPlane({ s: legacy });
    const twice: CallInput = { kind: 'tool', id: 's.ask_twice' };
    const first = await execute(twice);
    const second = await execute({ ...twice, ...resume(stateOf(first)) });
    expect(dataOf(second).inputRequests).toEqual({ q2: question });
    const done = await execute({ ...twice, ...resume(stateOf(second), { q2: answer }) });
    expect(dataOf(done).structuredContent).toEqual({ replies: [answer, answer] });
  });

  it.each([
    ['no answer', {}],
    ['an answer to nothing that was asked', { q9: answer }],
  ])('is asked again after %s', async (_what, answers) => {
    const { execute } = await connectPlane({ s: legacy });
    const again = await execute({ ...ask, ...resume(stateOf(await execute(ask)), answers) });
    expect(dataOf(again).inputRequests).toEqual({ q1: question });
    expect(await execute({ ...ask, ...resume(stateOf(again)) })).toMatchObject({ ok: true, data: { content: [] } });
  });

  it('receives the problem of its answer, and its call continues to wait for another', async () => {
    const { execute, server } = await connectPlane({ s: legacy });
    const state = stateOf(await execute(ask));
    for (const wrong of ['yes', { action: 'perhaps' }, { action: 'accept', content: ['Ann'] }] as const) {
      expect(await execute({ ...ask, ...resume(state, { q1: wrong as unknown as JsonObject }) })).toMatchObject({
        error: { code: 'INVALID_ARGS', message: expect.stringMatching(/^input_responses\.q1/) },
        retry: { upstream_execution_state: 'not_started' },
      });
    }
    expect(await execute({ ...ask, ...resume(state) })).toMatchObject({ ok: true, data: { content: [] } });
    expect(server('s').requests()).toHaveLength(1);
  });

  it.each<[string, (state: string) => Partial<CallInput>]>([
    ['changed', (state) => resume(`${state.slice(0, -1)}${state.endsWith('0') ? '1' : '0'}`)],
    ['of another run of the service', (state) => resume(state.replace(/^portico-\w{16}/, 'portico-0123456789abcdef'))],
    ['of nobody', () => resume('x')],
    ['cut', (state) => resume(state.slice(0, 30))],
    ['given by another principal', (state) => ({ ...resume(state), principal: 'mallory' })],
    ['given for other arguments', (state) => ({ ...resume(state), args: { n: 2 } })],
    ['given for another tool', (state) => ({ ...resume(state), id: 's.plain' })],
  ])('is refused a state that is %s, and the server receives nothing', async (_what, attempt) => {
    const { execute, server } = await connectPlane({ s: legacy });
    const state = stateOf(await execute(ask));
    expect(await execute({ ...ask, ...attempt(state) })).toMatchObject({
      ok: false,
      error: { code: 'INVALID_ARGS', retryable: false },
      retry: { classification: 'safe', upstream_execution_state: 'not_started' },
    });
    expect(server('s').requests()).toHaveLength(1);
    expect(await execute({ ...ask, ...resume(state) })).toMatchObject({ ok: true }); // it can still be used rightly
  });

  it('is refused a state that was used, or whose time is over', async () => {
    const { execute, server, clock } = await connectPlane({ s: legacy });
    const used = stateOf(await execute(ask));
    await execute({ ...ask, ...resume(used) });
    expect((await execute({ ...ask, ...resume(used) })).error?.code).toBe('INVALID_ARGS');
    const late = stateOf(await execute(ask));
    await clock.advance(parkedMs);
    expect((await execute({ ...ask, ...resume(late) })).error?.code).toBe('INVALID_ARGS');
    expect(server('s').requests()).toHaveLength(2);
    expect(server('s').cancels()).toHaveLength(1); // the server was cancelled
  });

  it('may take its time: the deadline of the call is paused', async () => {
    const { execute, clock } = await connectPlane({ s: legacy }, { toolTimeoutMs: 1000 });
    const asked = await execute(ask);
    await clock.advance(60_000);
    expect(await execute({ ...ask, ...resume(stateOf(asked)) })).toMatchObject({ ok: true });
  });

  it('can cancel what waits, by its request id', async () => {
    const { execute, plane, server } = await connectPlane({ s: legacy });
    const asked = await execute({
      ...ask,
      correlation: { requestId: 'r', traceId: 'a'.repeat(32) },
      idempotencyKey: 'k',
    });
    expect(await plane.cancel('mallory', 'r')).toBe(false);
    expect(await plane.cancel('local', 'r')).toBe(true);
    expect(server('s').cancels()).toHaveLength(1);
    expect((await execute({ ...ask, ...resume(stateOf(asked)) })).error?.code).toBe('INVALID_ARGS');
    const late = { ...ask, idempotencyKey: 'k', ...resume(stateOf(asked)) };
    expect((await execute(late)).error?.code).toBe('OPERATION_CANCELLED');
  });

  it('gets the same question again under its key, and the stored result in the end', async () => {
    const { execute, outcome, server } = await connectPlane({ s: legacy });
    const keyed: CallInput = { ...ask, idempotencyKey: 'k' };
    const asked = await execute(keyed);
    expect(dataOf(await execute(keyed))).toEqual(dataOf(asked));
    expect((await execute({ ...keyed, args: { n: 2 } })).error?.code).toBe('INVALID_ARGS');
    const done = await execute({ ...keyed, ...resume(stateOf(asked)) });
    expect(await outcome(keyed)).toMatchObject({ kind: 'replayed', envelope: done });
    expect(server('s').requests()).toHaveLength(1);
  });

  it('is not waited for at the end of the service', async () => {
    const { execute, plane, server } = await connectPlane({ s: legacy });
    await execute(ask);
    await plane.close(5000);
    expect(server('s').cancels()).toHaveLength(1);
  });
});

describe('a caller that comes back, over a server that answers with questions', () => {
  it('hands the state back as it is, with its answers', async () => {
    const { execute, server } = await connectPlane({ s: modern });
    const asked = await execute(ask);
    expect(dataOf(asked)).toEqual({
      resultType: 'input_required',
      inputRequests: { who: question },
      requestState: 'opaque.%00é',
    });
    const answers = { who: answer };
    const answered = await execute({ ...ask, ...resume(stateOf(asked), answers) });
    expect(dataOf(answered).structuredContent).toMatchObject({ requestState: 'opaque.%00é', inputResponses: answers });
    expect(server('s').requests().at(-1)?.params).toMatchObject({ name: 'ask', arguments: { n: 1 } });
  });

  it('is not given a question that it has not declared to answer', async () => {
    const { execute, plane } = await connectPlane({ s: modern });
    const { error } = await execute({ ...ask, client: { capabilities: { sampling: {} } } });
    expect(error).toMatchObject({
      code: 'UPSTREAM_ERROR',
      rpc_error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
    });
    const { results } = await plane.executeBatch({
      steps: [{ id: 'a', capability_id: 's.ask', args: {} }],
      correlation: { requestId: null, traceId: 'a'.repeat(32) },
      caller: { principal: 'local', profile: null, role: null, actor: null },
      signal: new AbortController().signal,
      idempotencyKey: null,
    });
    expect(results).toMatchObject([{ ok: false, error: expect.stringContaining('asks for elicitation/create') }]);
  });

  it('over HTTP can be asked anything, and an MCP client what it declares', async () => {
    const { execute } = await connectPlane({ s: modern });
    const asks = async (input: Partial<CallInput>) =>
      (dataOf(await execute({ ...ask, ...resume('x'), ...input })).structuredContent as JsonObject).asks;
    expect(Object.keys((await asks({})) as JsonObject)).toEqual(['elicitation', 'sampling', 'roots']);
    expect(await asks({ client: { capabilities: { roots: {} } } })).toEqual({ roots: {} });
  });
});

describe('a client that answers while its call runs', () => {
  it.each([
    ['that asks while the call runs', legacy],
    ['that answers with questions', modern],
  ])('is asked by a server %s', async (_what, upstream) => {
    const { execute } = await connectPlane({ s: upstream });
    const { client, asked } = liveClient(async () => answer);
    const done = await execute({ ...ask, client });
    expect(asked).toEqual([question]);
    expect(JSON.stringify(dataOf(done).structuredContent)).toContain('Ann');
  });

  it.each([
    ['that asks while the call runs', legacy],
    ['that answers with questions', modern],
  ])('is given the time it needs, over a server %s', async (_what, upstream) => {
    const { execute, clock } = await connectPlane({ s: upstream }, { toolTimeoutMs: 1000 });
    let reply = (_answer: JsonObject) => {};
    const { client } = liveClient(() => new Promise((resolve) => (reply = resolve)));
    const done = execute({ ...ask, client });
    await clock.advance(60_000);
    reply(answer);
    expect(await done).toMatchObject({ ok: true });
  });

  it('lets the deadline of its server go on afterwards', async () => {
    const server: MemoryServer = {
      ...legacy,
      async handle(_request, signal, handler) {
        await handler?.onServerRequest(question, signal);
        return hang();
      },
    };
    const { execute, clock } = await connectPlane({ s: server }, { toolTimeoutMs: 1000 });
    const { client } = liveClient(async () => answer);
    const done = execute({ ...ask, client });
    await clock.advance(1000);
    expect((await done).error?.code).toBe('UPSTREAM_TIMEOUT');
  });

  it('whose user refuses ends the call of a server that answers with questions', async () => {
    const { execute } = await connectPlane({ s: modern });
    const { client } = liveClient(() => Promise.reject(new Error('the window was closed')));
    expect((await execute({ ...ask, client })).error).toMatchObject({
      code: 'UPSTREAM_ERROR',
      message: 'server "s" got no answer of the caller: the window was closed',
    });
  });

  it('is asked nothing that it does not declare', async () => {
    const refusals: unknown[] = [];
    const server: MemoryServer = {
      ...legacy,
      async handle(_request, signal, handler) {
        for (const method of ['elicitation/create', 'roots/list'] as const) {
          const asked = handler?.onServerRequest({ method, params: {} }, signal);
          refusals.push(await asked?.catch(({ code, message }) => ({ code, message })));
        }
        return { content: [] };
      },
    };
    const { execute } = await connectPlane({ s: server });
    const { client, asked } = liveClient(async () => answer, { capabilities: {} });
    await execute({ ...ask, client });
    expect(asked).toEqual([]);
    expect(refusals).toEqual([
      {
        code: -32601,
        message: 'Method not found: elicitation/create: the caller of this call does not declare elicitation',
      },
      { roots: [] },
    ]);
  });

  it('is not asked by the steps of a batch', async () => {
    const { plane } = await connectPlane({ s: legacy });
    const { results } = await plane.executeBatch({
      steps: [{ id: 'a', capability_id: 's.ask', args: {} }],
      correlation: { requestId: null, traceId: 'a'.repeat(32) },
      caller: { principal: 'local', profile: null, role: null, actor: null },
      signal: new AbortController().signal,
      idempotencyKey: null,
    });
    expect(results[0]?.ok).toBe(false);
  });

  it('receives progress and log messages at its level', async () => {
    const server: MemoryServer = {
      ...legacy,
      handle(_request, _signal, handler) {
        handler?.progress?.onProgress({ progress: 1, total: 2 });
        for (const level of ['debug', 'warning', 'error']) handler?.onLogMessage?.({ level, data: level });
        return { content: [] };
      },
    };
    const { execute } = await connectPlane({ s: server });
    const received: JsonObject[] = [];
    const onMessage = (message: JsonObject) => received.push(message);
    await execute({
      ...ask,
      client: { capabilities: {}, logLevel: 'warning', onProgress: onMessage, onLogMessage: onMessage },
    });
    expect(received).toEqual([
      { progress: 1, total: 2 },
      { level: 'warning', data: 'warning' },
      { level: 'error', data: 'error' },
    ]);
  });
});

describe('a circuit that is half open', () => {
  it('does not wait for a person: a server that asks lives', async () => {
    let isDead = true;
    const server: MemoryServer = {
      ...legacy,
      handle(request, signal, handler) {
        if (isDead) throw new UpstreamFailure('it is gone', { kind: 'unreachable', sent: true });
        return legacy.handle?.(request, signal, handler) ?? {};
      },
    };
    const resilience = { failureThreshold: 1, cooldownMs: 1000, consecutiveSuccesses: 1 };
    const { execute, clock } = await connectPlane({ s: server }, { resilience });
    expect((await execute(ask)).error?.code).toBe('SERVER_UNREACHABLE');
    isDead = false;
    await clock.advance(1000);
    expect(dataOf(await execute(ask)).resultType).toBe('input_required');
    expect(await execute({ kind: 'tool', id: 's.plain' })).toMatchObject({ ok: true });
  });
});

describe('a question that belongs to no call', () => {
  it('is answered without roots, or refused', async () => {
    const { server } = await connectPlane({ s: legacy });
    expect(await server('s').ask({ method: 'roots/list', params: {} })).toEqual({ roots: [] });
    await expect(server('s').ask(question)).rejects.toMatchObject({
      code: -32601,
      message: 'Method not found: elicitation/create: no call is running whose caller declares elicitation',
    });
  });
});

describe('a gated call of a client that can ask its user', () => {
  const gate = { policy: { requireApproval: ['s.*'] } };
  const approve: JsonObject = { action: 'accept', content: { decision: 'approve' } };
  const plain: CallInput = { kind: 'tool', id: 's.plain', args: { n: 1 } };

  it('is put to the user, and runs when the user approves', async () => {
    const { execute, plane, server } = await connectPlane({ s: legacy }, gate);
    const { client, asked } = liveClient(async () => approve);
    expect(await execute({ ...plain, client })).toMatchObject({ ok: true, data: { content: [] } });
    expect(asked[0]?.params.message).toContain('"s.plain" needs your approval (appr-0-1).\nArguments:\n  n: 1');
    expect(await plane.approvals.get('appr-0-1')).toMatchObject({
      status: { status: 'approved', operator: 'local (at the client)' },
    });
    expect(server('s').requests()).toHaveLength(1);
  });

  it.each<[string, JsonObject, string]>([
    ['declines', { action: 'decline' }, 'APPROVAL_REJECTED'],
    ['rejects', { action: 'accept', content: { decision: 'reject', reason: 'no' } }, 'APPROVAL_REJECTED'],
    ['does not decide', { action: 'cancel' }, 'APPROVAL_PENDING'],
  ])('does not run when the user %s', async (_what, reply, code) => {
    const { execute, server } = await connectPlane({ s: legacy }, gate);
    const { client } = liveClient(async () => reply);
    expect((await execute({ ...plain, client })).error?.code).toBe(code);
    expect(server('s').requests()).toEqual([]);
  });

  it('ends when another approver decides, and the question is withdrawn', async () => {
    const { execute, plane, clock } = await connectPlane({ s: legacy }, gate);
    let isTakenBack = false;
    const { client } = liveClient((_put, signal) => {
      signal.addEventListener('abort', () => {
        isTakenBack = true;
      });
      return hang();
    });
    const done = execute({ ...plain, client });
    await clock.advance(0);
    await plane.approvals.approve('appr-0-1', 'ann', null);
    expect(await done).toMatchObject({ ok: true });
    expect(isTakenBack).toBe(true);
  });

  it('goes on asking what the call itself asks', async () => {
    const { execute } = await connectPlane({ s: legacy }, gate);
    const { client, asked } = liveClient(async (put) => (put === question ? answer : approve));
    const done = await execute({ ...ask, client });
    expect(dataOf(done).structuredContent).toEqual({ replies: [answer] });
    expect(asked).toHaveLength(2);
  });

  it('comes back with the decision, once', async () => {
    const { execute, server } = await connectPlane({ s: legacy }, gate);
    const client: CallClient = { capabilities: elicits };
    const asked = await execute({ ...plain, client });
    expect(dataOf(asked)).toMatchObject({ resultType: 'input_required', inputRequests: { approval: {} } });
    const answers = { approval: approve };
    const back = { ...plain, client, ...resume(stateOf(asked), answers) };
    expect((await execute({ ...back, principal: 'mallory' })).error?.code).toBe('INVALID_ARGS');
    expect(server('s').requests()).toEqual([]);
    expect(await execute(back)).toMatchObject({ ok: true, data: { content: [] } });
    expect((await execute(back)).error?.code).toBe('INVALID_ARGS');
    expect(server('s').requests()).toHaveLength(1);
  });

  it.each([
    ['while the call runs', legacy, 'q1'],
    ['by its answer', modern, 'who'],
  ])('needs no approval for what it is asked %s', async (_what, upstream, key) => {
    const { execute, plane } = await connectPlane({ s: upstream }, gate);
    const client: CallClient = { capabilities: elicits };
    const gated = await execute({ ...ask, client });
    const asked = await execute({ ...ask, client, ...resume(stateOf(gated), { approval: approve }) });
    expect(dataOf(asked).inputRequests).toEqual({ [key]: question });
    const done = await execute({ ...ask, client, ...resume(stateOf(asked), { [key]: answer }) });
    expect(JSON.stringify(dataOf(done).structuredContent)).toContain('Ann');
    expect((await plane.approvals.list({ limit: 10, offset: 0 })).total).toBe(1);
  });

  it.each<
    [
      string,
      (approvals: Awaited<ReturnType<typeof connectPlane>>['plane']['approvals']) => Promise<unknown>,
      string | undefined,
    ]
  >([
    ['approves', (approvals) => approvals.approve('appr-0-1', 'ann', null), undefined],
    ['rejects', (approvals) => approvals.reject('appr-0-1', 'ann', null), 'APPROVAL_REJECTED'],
  ])('that comes back once an operator %s receives that', async (_what, decide, code) => {
    const { execute, plane, server } = await connectPlane({ s: legacy }, gate);
    const client: CallClient = { capabilities: elicits };
    const asked = await execute({ ...plain, client });
    await decide(plane.approvals);
    const back = await execute({ ...plain, client, ...resume(stateOf(asked), { approval: approve }) });
    expect(back.error?.code).toBe(code);
    expect(server('s').requests()).toHaveLength(code === undefined ? 1 : 0);
    expect((await plane.approvals.list({ limit: 10, offset: 0 })).total).toBe(1);
  });

  it('is asked the questions of its call, for any approver', async () => {
    const { execute, plane, clock } = await connectPlane({ s: legacy }, gate);
    const { client } = liveClient((put) => (put === question ? Promise.resolve(answer) : hang()));
    const done = execute({ ...ask, client });
    await clock.advance(0);
    await plane.approvals.approve('appr-0-1', 'ann', null);
    expect(dataOf(await done).structuredContent).toEqual({ replies: [answer] });
  });

  it('runs an approved turn once', async () => {
    const { execute, server } = await connectPlane({ s: modern }, gate);
    const client: CallClient = { capabilities: elicits };
    const gated = await execute({ ...ask, client });
    const asked = await execute({ ...ask, client, ...resume(stateOf(gated), { approval: approve }) });
    const turn = { ...ask, client, ...resume(stateOf(asked), { who: answer }) };
    expect((await execute(turn)).ok).toBe(true);
    expect((await execute(turn)).error?.code).toBe('INVALID_ARGS');
    expect(server('s').requests()).toHaveLength(2);
  });

  it.each([
    ['listens', hang],
    ['comes back', undefined],
  ])('of a client that %s ends with its cancel, and so does its ticket', async (_what, reply) => {
    const { execute, plane, clock, server } = await connectPlane({ s: legacy }, gate);
    const gone = new AbortController();
    const client = reply === undefined ? { capabilities: {} } : liveClient(reply).client;
    const done = execute({ ...plain, client, signal: gone.signal, approvalWaitMs: 60_000 });
    await clock.advance(0);
    gone.abort(new Error('cancelled by the client'));
    expect((await done).error?.code).toBe('OPERATION_CANCELLED');
    expect(await plane.approvals.get('appr-0-1')).toMatchObject({
      status: { status: 'rejected', reason: 'cancelled' },
    });
    expect(server('s').requests()).toEqual([]);
  });

  it('gets the same questions again under its key once it was approved', async () => {
    const { execute, plane } = await connectPlane({ s: legacy }, gate);
    const keyed: CallInput = { ...ask, idempotencyKey: 'k' };
    await execute(keyed);
    const { result } = (await plane.approvals.approve('appr-0-1', 'ann', null)) as unknown as {
      result: { data: unknown };
    };
    expect(dataOf(await execute(keyed))).toEqual(dataOf(result));
    expect((await plane.approvals.list({ limit: 10, offset: 0 })).total).toBe(1);
  });

  it('is not asked over HTTP: it waits for an operator', async () => {
    const { outcome } = await connectPlane({ s: legacy }, gate);
    expect((await outcome(plain)).kind).toBe('pending');
  });
});
