// Sampling tickets: opened over HTTP or by questions of servers, answered by people, callers or a provider, or left
// unanswered.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer, ServerRequest } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { AuditUnavailable } from '../audit/audit-log.js';
import type { CallClient } from '../call/client.js';
import { parkedMs } from '../interaction/parked-calls.js';
import { createMemoryStores } from '../memory-stores.js';
import { type CallInput, caller, connectPlane, correlation, hang, stopped, tool } from '../testing/start-plane.js';
import type { SampleMessages } from './provider-runs.js';

const messages = [{ role: 'user', content: { type: 'text', text: 'how many?' } }] as const;
const params: JsonObject = { messages, maxTokens: 100, systemPrompt: 'be brief', _meta: { progressToken: 1 } };
const question: ServerRequest = { method: 'sampling/createMessage', params };
const elicitation: ServerRequest = { method: 'elicitation/create', params: { mode: 'form', message: 'who?' } };
const four: JsonObject = { role: 'assistant', content: { type: 'text', text: '4' }, model: 'm' };
const five: JsonObject = { role: 'assistant', content: { type: 'text', text: '5' }, model: 'human' };
const byHand = { role: 'assistant', content: '5' } as const;

/** Asks for a message while the call runs, and answers with what it got, or with how it was refused. */
const server: MemoryServer = {
  definitions: { tools: [tool('ask'), tool('ask_more')] },
  async handle(request, signal, handler) {
    const replies: unknown[] = [];
    for (const each of request.params.name === 'ask_more' ? [question, elicitation] : [question]) {
      const asked = handler?.onServerRequest(each, signal);
      replies.push(await asked?.catch(({ code, message }) => ({ code, message })));
    }
    return { content: [], structuredContent: { replies } as JsonObject };
  },
};

const ask: CallInput = { kind: 'tool', id: 's.ask' };
const request = { serverId: 's', messages, maxTokens: null, correlation, caller, signal: new AbortController().signal };
/** A step of a batch of a caller over HTTP: no client can be asked, and people can answer. */
const mute: CallClient = { capabilities: {}, isOverHttp: true };
/** An MCP client that cannot sample. */
const cannotSample: CallClient = { capabilities: {} };
const notFound = {
  code: -32601,
  message: 'Method not found: sampling/createMessage: the caller of this call does not declare sampling',
};

type Started = Awaited<ReturnType<typeof connectPlane>>;

async function auditOf({ audit }: Pick<Started, 'audit'>) {
  const { events } = await audit.list({ event_type: 'sampling' }, { limit: 50, offset: 0 });
  return [...events]
    .reverse()
    .map(({ status, server_id, details, trace_id }) => ({ status, server_id, details, trace_id }));
}

const answersIn = (envelope: { readonly data: unknown }) =>
  ((envelope.data as JsonObject).structuredContent as { readonly replies: unknown[] }).replies;
const stateOf = (envelope: { readonly data: unknown }) => String((envelope.data as JsonObject).requestState);
const all = { limit: 50, offset: 0 };

describe('a message that is asked for by hand', () => {
  it('is given when it is answered in time', async () => {
    const started = await connectPlane({ s: server });
    const { plane, clock } = started;
    const created = plane.sampling.create({ ...request, maxTokens: 7 }, true);
    await clock.advance(0);
    const ticket = {
      id: 'samp-0-1',
      server_id: 's',
      messages,
      max_tokens: 7,
      created_at: 0,
      expires_at: 300,
      origin: 'http',
    };
    expect(await plane.sampling.get('samp-0-1')).toEqual({ ...ticket, status: 'pending' });
    const answered = { ...ticket, status: 'completed', result: { ...five, stopReason: 'endTurn' } };
    expect(await plane.sampling.respond('samp-0-1', { ...byHand, stop_reason: 'endTurn' })).toEqual(answered);
    expect(await created).toEqual(answered);
    const common = {
      server_id: 's',
      details: { ticket_id: 'samp-0-1', origin: 'http' },
      trace_id: correlation.traceId,
    };
    expect(await auditOf(started)).toEqual([
      { status: 'intercepted', ...common },
      { status: 'success', ...common },
    ]);
  });

  it('is not waited for beyond toolTimeoutMs, or at all where it is not to be', async () => {
    const { plane, clock } = await connectPlane({ s: server }, { toolTimeoutMs: 1000 });
    expect(await plane.sampling.create(request, false)).toMatchObject({ id: 'samp-0-1', status: 'pending' });
    const created = plane.sampling.create(request, true);
    await clock.advance(1000);
    expect(await created).toMatchObject({ id: 'samp-0-2', status: 'pending' });
  });

  it('stays asked for when its caller goes away, or the service stops', async () => {
    const started = await connectPlane({ s: server });
    const { plane, clock } = started;
    const gone = new AbortController();
    const left = plane.sampling.create({ ...request, signal: gone.signal }, true);
    const kept = plane.sampling.create(request, true);
    await clock.advance(0);
    gone.abort();
    expect(await left).toMatchObject({ status: 'pending' });
    await plane.close(5000);
    expect(await kept).toMatchObject({ status: 'pending' });
    expect((await started.samplingTickets.claim()).map(({ id }) => id)).toEqual(['samp-0-1', 'samp-0-2']);
  });

  it.each([
    ['a server that is not configured', 'x', null, 'no server "x"'],
    ['a server outside the profile', 's', 'p', 'no server "s"'],
    ['an unknown profile', 's', 'q', 'no profile "q"'],
  ])('is refused for %s', async (_what, serverId, profile, message) => {
    const { plane } = await connectPlane({ s: server, t: server }, { profiles: { p: { servers: ['t'] } } });
    const refused = plane.sampling.create({ ...request, serverId, caller: { ...caller, profile } }, false);
    await expect(refused).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND', message });
    expect((await plane.sampling.list(all)).total).toBe(0);
  });

  it('expires with the approvals, and then takes no answer', async () => {
    const started = await connectPlane({ s: server }, { policy: { approvalTimeoutSecs: 2 } });
    const { plane, clock } = started;
    await plane.sampling.create(request, false);
    await clock.advance(2000);
    expect(await plane.sampling.get('samp-0-1')).toMatchObject({ status: 'expired', expires_at: 2 });
    expect(await plane.sampling.respond('samp-0-1', byHand)).toBeUndefined();
    expect((await auditOf(started)).map(({ status }) => status)).toEqual(['intercepted', 'failed']);
  });

  it('takes one answer', async () => {
    const { plane } = await connectPlane({ s: server });
    await plane.sampling.create(request, false);
    const answers = await Promise.all([1, 2, 3].map(() => plane.sampling.respond('samp-0-1', byHand)));
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
    expect(await plane.sampling.respond('samp-0-9', byHand)).toBeUndefined();
  });

  it('is one of a thousand at most', async () => {
    const { plane } = await connectPlane({ s: server });
    for (let i = 0; i < 1000; i++) await plane.sampling.create(request, false);
    await expect(plane.sampling.create(request, false)).rejects.toMatchObject({
      code: 'POLICY_DENIED',
      message:
        'server "s" has all of its share of pending sampling tickets: 1000 (limits.samplingTickets: 1000); answer some of them first',
    });
    await plane.sampling.respond('samp-0-1', byHand);
    expect(await plane.sampling.create(request, false)).toMatchObject({ status: 'pending' });
  });

  it('is listed newest first, by status and server', async () => {
    const { plane } = await connectPlane({ s: server, t: server });
    for (const serverId of ['s', 't', 's']) await plane.sampling.create({ ...request, serverId }, false);
    await plane.sampling.respond('samp-0-1', byHand);
    const ids = async (query: object) => {
      const { requests, total } = await plane.sampling.list({ ...all, ...query });
      return [requests.map(({ id }) => id), total];
    };
    expect(await ids({})).toEqual([['samp-0-3', 'samp-0-2', 'samp-0-1'], 3]);
    expect(await ids({ limit: 1, offset: 1 })).toEqual([['samp-0-2'], 3]);
    expect(await ids({ status: 'pending' })).toEqual([['samp-0-3', 'samp-0-2'], 2]);
    expect(await ids({ serverId: 's', status: 'completed' })).toEqual([['samp-0-1'], 1]);
  });
});

describe('a message that a server asks for while a call runs', () => {
  it('is a ticket with all that was asked, and its answer goes back', async () => {
    const started = await connectPlane({ s: server });
    const { execute, plane, clock } = started;
    const done = execute({ ...ask, client: mute });
    await clock.advance(0);
    expect(await plane.sampling.get('samp-0-1')).toEqual({
      id: 'samp-0-1',
      server_id: 's',
      messages,
      max_tokens: 100,
      params: { systemPrompt: 'be brief' },
      status: 'pending',
      created_at: 0,
      expires_at: 300,
      origin: 'upstream',
    });
    await plane.sampling.respond('samp-0-1', byHand);
    expect(answersIn(await done)).toEqual([five]);
    expect(await auditOf(started)).toMatchObject([
      { status: 'intercepted', details: { origin: 'upstream' }, trace_id: correlation.traceId },
      { status: 'success', server_id: 's', details: { ticket_id: 'samp-0-1', origin: 'upstream' } },
    ]);
  });

  it('waits by its ticket alone where the caller cannot sample, and the deadline with it', async () => {
    const { execute, plane, clock } = await connectPlane({ s: server }, { toolTimeoutMs: 1000 });
    const done = execute({ ...ask, client: mute });
    await clock.advance(200_000);
    await plane.sampling.respond('samp-0-1', byHand);
    expect(answersIn(await done)).toEqual([five]);
  });

  it('is refused at once where an MCP client calls that cannot sample, and that is no failure', async () => {
    const started = await connectPlane({ s: server }, { resilience: { failureThreshold: 1 } });
    const { execute, plane, audit } = started;
    expect(answersIn(await execute({ ...ask, client: cannotSample }))).toEqual([notFound]);
    expect(answersIn(await execute({ ...ask, client: cannotSample }))).toEqual([notFound]);
    expect((await plane.sampling.list(all)).total).toBe(0);
    expect(plane.servers()).toMatchObject([
      {
        circuit: { state: 'closed', consecutive_failures: 0 },
        refused_requests: [{ method: 'sampling/createMessage', reason: 'caller_cannot_answer', count: 2 }],
      },
    ]);
    const { events } = await audit.list({ event_type: 'tool_call' }, { limit: 1, offset: 0 });
    expect(events).toMatchObject([{ status: 'success', details: { refused_requests: ['sampling/createMessage'] } }]);
  });

  it('is refused at once to the steps of a batch of an MCP client', async () => {
    const { plane } = await connectPlane({ s: server });
    const steps = [{ id: 'a', capability_id: 's.ask', args: {} }];
    const batch = { steps, correlation, caller, signal: request.signal, idempotencyKey: null };
    const client: CallClient = { capabilities: { sampling: {} } };
    const { results } = await plane.executeBatch({ ...batch, client });
    expect(results).toMatchObject([{ ok: true, data: { structuredContent: { replies: [notFound] } } }]);
  });

  it('waits for people if the operator has configured it, for any caller', async () => {
    const { execute, plane, clock } = await connectPlane({ s: server }, { sampling: { tickets: 'always' } });
    const done = execute({ ...ask, client: cannotSample });
    await clock.advance(0);
    await plane.sampling.respond('samp-0-1', byHand);
    expect(answersIn(await done)).toEqual([five]);
    expect(plane.servers()[0]).not.toHaveProperty('refused_requests');
  });

  it.each<[string, SampleMessages, unknown]>([
    ['is answered by the provider', async () => four, four],
    ['is refused once the provider has failed', () => Promise.reject(new Error('no model')), notFound],
    ['is refused once the provider takes longer than a call may', hang, notFound],
  ])('%s where an MCP client calls that cannot sample', async (_what, sampleMessages, expected) => {
    const file = { sampling: { provider: { url: 'http://llm.example/v1', model: 'm' } }, toolTimeoutMs: 1000 };
    const { execute, clock } = await connectPlane({ s: server }, file, {
      ...createMemoryStores(stopped),
      sampleMessages,
    });
    const done = execute({ ...ask, client: cannotSample });
    await clock.advance(1000);
    expect(answersIn(await done)).toEqual([expected]);
  });

  it('is refused if it is not declared to the server, for any caller', async () => {
    const file = { mcpServers: { s: { command: 'x', clientCapabilities: { sampling: false } } } };
    const { execute, plane } = await connectPlane({ s: server }, file);
    const client: CallClient = { capabilities: { sampling: {} }, ask: async () => four };
    const undeclared = {
      code: -32601,
      message: 'Method not found: sampling/createMessage: this client does not declare sampling',
    };
    expect(answersIn(await execute({ ...ask, client }))).toEqual([undeclared]);
    expect(answersIn(await execute(ask))).toEqual([undeclared]);
    expect(plane.servers()[0]?.refused_requests).toEqual([
      { method: 'sampling/createMessage', reason: 'not_declared_to_server', count: 2 },
    ]);
  });

  it('is refused to the server when no answer came in time', async () => {
    const { execute, clock } = await connectPlane({ s: server }, { policy: { approvalTimeoutSecs: 2 } });
    const done = execute({ ...ask, client: mute });
    await clock.advance(2000);
    const message = 'no operator or caller answered sampling request samp-0-1 within 2 s';
    expect(answersIn(await done)).toEqual([{ code: -32001, message }]);
  });

  it('is answered by a client that can, whose answer is the result of the ticket', async () => {
    const { execute, plane } = await connectPlane({ s: server });
    const client: CallClient = { capabilities: { sampling: {} }, ask: async () => four };
    expect(answersIn(await execute({ ...ask, client }))).toEqual([four]);
    expect(await plane.sampling.get('samp-0-1')).toMatchObject({ status: 'completed', result: four });
  });

  it('is taken back from a client when another answered first', async () => {
    const { execute, plane, clock } = await connectPlane({ s: server });
    let isTakenBack = false;
    const client: CallClient = {
      capabilities: { sampling: {} },
      ask(_question, signal) {
        signal.addEventListener('abort', () => {
          isTakenBack = true;
        });
        return hang();
      },
    };
    const done = execute({ ...ask, client });
    await clock.advance(0);
    await plane.sampling.respond('samp-0-1', byHand);
    expect(answersIn(await done)).toEqual([five]);
    expect(isTakenBack).toBe(true);
  });

  it('is refused when the client refuses, and its ticket ends', async () => {
    const started = await connectPlane({ s: server });
    const refusal = Object.assign(new Error('User rejected sampling request'), { code: -1 });
    const client: CallClient = { capabilities: { sampling: {} }, ask: () => Promise.reject(refusal) };
    const done = await started.execute({ ...ask, client });
    expect(answersIn(done)).toEqual([{ code: -1, message: 'User rejected sampling request' }]);
    expect((await auditOf(started)).map(({ status }) => status)).toEqual(['intercepted', 'failed']);
  });

  it('goes back to a server whose question is taken back in the moment in which its ticket is answered', async () => {
    const stores = createMemoryStores(stopped);
    const takenBack = new AbortController();
    const samplingTickets: typeof stores.samplingTickets = {
      ...stores.samplingTickets,
      async settle(id, status) {
        const ticket = await stores.samplingTickets.settle(id, status);
        if (status.status === 'completed') takenBack.abort(new Error('the call is over'));
        return ticket;
      },
    };
    const asking: MemoryServer = {
      definitions: { tools: [tool('ask')] },
      handle: async (_request, _signal, handler) => ({
        content: [],
        structuredContent: { replies: [(await handler?.onServerRequest(question, takenBack.signal)) ?? null] },
      }),
    };
    const { execute, plane, clock } = await connectPlane({ s: asking }, {}, { ...stores, samplingTickets });
    const done = execute({ ...ask, client: mute });
    await clock.advance(0);
    expect(await plane.sampling.respond('samp-0-1', byHand)).toMatchObject({ status: 'completed' });
    expect(answersIn(await done)).toEqual([five]);
  });

  it('ends its ticket when the call is cancelled', async () => {
    const { execute, plane, clock } = await connectPlane({ s: server });
    const done = execute({ ...ask, client: mute, correlation: { ...correlation, requestId: 'r' } });
    await clock.advance(0);
    expect(await plane.cancel('local', 'r')).toBe(true);
    expect((await done).error?.code).toBe('OPERATION_CANCELLED');
    expect(await plane.sampling.get('samp-0-1')).toMatchObject({ status: 'expired' });
  });

  it('is asked for by a batch as well, whose steps wait', async () => {
    const { plane, clock } = await connectPlane({ s: server });
    const steps = [{ id: 'a', capability_id: 's.ask', args: {} }];
    const done = plane.executeBatch({ steps, correlation, caller, signal: request.signal, idempotencyKey: null });
    await clock.advance(60_000);
    await plane.sampling.respond('samp-0-1', byHand);
    expect((await done).ok).toBe(true);
  });

  it('is put to a live client by a server that answers with questions', async () => {
    const modern: MemoryServer = {
      protocolVersion: '2026-07-28',
      definitions: { tools: [tool('ask')] },
      handle: ({ params: { inputResponses } }) =>
        inputResponses === undefined
          ? { resultType: 'input_required', inputRequests: { q: { ...question } }, requestState: 'x' }
          : { content: [], structuredContent: { replies: [inputResponses] } },
    };
    const { execute, plane, clock } = await connectPlane({ s: modern });
    const done = execute({ ...ask, client: { capabilities: { sampling: {} }, ask: hang } });
    await clock.advance(0);
    await plane.sampling.respond('samp-0-1', byHand);
    expect(answersIn(await done)).toEqual([{ q: five }]);
  });
});

describe('a message that is asked of a caller that comes back', () => {
  const resume = (envelope: { readonly data: unknown }, inputResponses: JsonObject = {}) => ({
    ...ask,
    requestState: stateOf(envelope),
    inputResponses,
  });

  it('is asked with a ticket beside it, which the caller answers', async () => {
    const { execute, plane } = await connectPlane({ s: server });
    const asked = await execute(ask);
    const { _meta, ...shown } = params;
    expect(asked.data).toMatchObject({ inputRequests: { q1: { method: question.method, params: shown } } });
    expect(await plane.sampling.get('samp-0-1')).toMatchObject({ status: 'pending' });
    expect(answersIn(await execute(resume(asked, { q1: four })))).toEqual([four]);
    expect(await plane.sampling.get('samp-0-1')).toMatchObject({ status: 'completed', result: four });
  });

  it('is the result at once when another has answered by then', async () => {
    const { execute, plane } = await connectPlane({ s: server });
    const asked = await execute(ask);
    await plane.sampling.respond('samp-0-1', byHand);
    expect(answersIn(await execute(resume(asked, { q1: four })))).toEqual([five]);
  });

  it('is the result for a repeat under its key too', async () => {
    const { execute, plane } = await connectPlane({ s: server });
    const keyed = { ...ask, idempotencyKey: 'k' };
    expect((await execute(keyed)).data).toMatchObject({ resultType: 'input_required' });
    await plane.sampling.respond('samp-0-1', byHand);
    expect(answersIn(await execute(keyed))).toEqual([five]);
    expect(answersIn(await execute(keyed))).toEqual([five]);
  });

  describe('beside a provider', () => {
    const file = { sampling: { provider: { url: 'http://llm.example/v1', model: 'm' } }, toolTimeoutMs: 1000 };
    const withProvider = (sampleMessages: SampleMessages) =>
      connectPlane({ s: server }, file, { ...createMemoryStores(stopped), sampleMessages });

    it('is the answer of the provider, for which the call waits', async () => {
      const { execute } = await withProvider(async () => four);
      expect(answersIn(await execute(ask))).toEqual([four]);
    });

    it('goes to the caller where the provider fails', async () => {
      const { execute } = await withProvider(() => Promise.reject(new Error('401')));
      const asked = await execute(ask);
      expect(answersIn(await execute(resume(asked, { q1: five })))).toEqual([five]);
    });

    it('goes to the caller where the provider takes longer than a call may', async () => {
      const { execute, clock } = await withProvider(hang);
      const asking = execute(ask);
      await clock.advance(1000);
      const asked = await asking;
      expect(asked.data).toMatchObject({ resultType: 'input_required' });
      expect(answersIn(await execute(resume(asked, { q1: five })))).toEqual([five]);
    });
  });

  it('makes room for what else is asked', async () => {
    const { execute, plane, clock } = await connectPlane({ s: server });
    const more: CallInput = { kind: 'tool', id: 's.ask_more' };
    const asked = await execute(more);
    await plane.sampling.respond('samp-0-1', byHand);
    await clock.advance(0);
    const again = await execute({ ...more, requestState: stateOf(asked), inputResponses: {} });
    expect(again.data).toMatchObject({ inputRequests: { q2: elicitation } });
    const inputResponses = { q2: { action: 'decline' } };
    const done = await execute({ ...more, requestState: stateOf(again), inputResponses });
    expect(answersIn(done)).toEqual([five, { action: 'decline' }]);
  });

  it('ends its ticket when the caller stays away', async () => {
    const file = { policy: { approvalTimeoutSecs: 3600 } };
    const { execute, plane, clock } = await connectPlane({ s: server }, file);
    await execute(ask);
    await clock.advance(parkedMs);
    expect(await plane.sampling.get('samp-0-1')).toMatchObject({ status: 'expired' });
  });
});

describe('a message that a server asks for outside of calls', () => {
  it('is a ticket of no call, and its answer goes back', async () => {
    const started = await connectPlane({ s: server });
    const answer = started.server('s').ask(question);
    await started.clock.advance(0);
    await started.plane.sampling.respond('samp-0-1', byHand);
    expect(await answer).toEqual(five);
    const [opened] = await auditOf(started);
    expect(opened).toEqual({
      status: 'intercepted',
      server_id: 's',
      details: { ticket_id: 'samp-0-1', origin: 'upstream' },
      trace_id: undefined,
    });
  });

  it('is given up with the service', async () => {
    const { plane, server: control, clock, samplingTickets } = await connectPlane({ s: server });
    const answer = control('s').ask(question);
    await Promise.all([
      expect(answer).rejects.toThrow('the service is stopping'),
      clock.advance(0).then(() => plane.close(0)),
    ]);
    expect(await samplingTickets.get('samp-0-1')).toMatchObject({ status: { status: 'expired' } });
  });
});

describe('what cannot be recorded', () => {
  it('is not asked for', async () => {
    const stores = createMemoryStores(stopped);
    const unwritable = { ...stores.audit, begin: () => Promise.reject(new AuditUnavailable('disk full')) };
    const {
      plane,
      server: control,
      samplingTickets,
    } = await connectPlane({ s: server }, {}, { ...stores, audit: unwritable });
    await expect(plane.sampling.create(request, false)).rejects.toThrow('disk full');
    await expect(control('s').ask(question)).rejects.toMatchObject({ name: 'ServerRequestRefused', code: -32603 });
    expect(await samplingTickets.claim()).toEqual([]);
  });

  it('is refused where it cannot be kept', async () => {
    const stores = createMemoryStores(stopped);
    const broken = { ...stores.samplingTickets, open: () => Promise.reject(new Error('disk full')) };
    const { plane, server: control } = await connectPlane({ s: server }, {}, { ...stores, samplingTickets: broken });
    const message = 'nothing was sent: the state store cannot be written (disk full)';
    await expect(plane.sampling.create(request, false)).rejects.toMatchObject({ code: 'INTERNAL_ERROR', message });
    await expect(control('s').ask(question)).rejects.toMatchObject({ name: 'ServerRequestRefused', message });
  });

  it('is not left to wait where only its record failed', async () => {
    const stores = createMemoryStores(stopped);
    const failing = { ...stores.audit, append: () => Promise.reject(new AuditUnavailable('disk full')) };
    const { plane, samplingTickets } = await connectPlane({ s: server }, {}, { ...stores, audit: failing });
    await expect(plane.sampling.create(request, false)).rejects.toThrow('disk full');
    expect(await samplingTickets.claim()).toEqual([]);
  });
});

describe('a restart', () => {
  it('keeps what was asked by hand, and expires what servers asked', async () => {
    const stores = createMemoryStores(stopped);
    const draft = { serverId: 's', params: { messages }, correlation: null, principal: null, createdAtMs: 0 };
    await stores.samplingTickets.open({ ...draft, origin: 'upstream', expiresAtMs: 9000 });
    await stores.samplingTickets.open({ ...draft, origin: 'http', expiresAtMs: 9000 });
    await stores.samplingTickets.open({ ...draft, origin: 'http', expiresAtMs: 9000 });
    const started = await connectPlane({ s: server }, {}, stores);
    await started.plane.recover();
    expect(await started.plane.sampling.get('samp-0-1')).toMatchObject({ status: 'expired' });
    expect(await started.plane.sampling.respond('samp-0-2', byHand)).toMatchObject({ status: 'completed' });
    await started.clock.advance(9000);
    expect(await started.plane.sampling.get('samp-0-3')).toMatchObject({ status: 'expired' });
    expect((await auditOf(started)).map(({ status }) => status)).toEqual(['failed', 'success', 'failed']);
  });
});
