// Tasks in the plane: how long they last, and what they mean for a repeat.
import type { JsonObject } from '@portico/contracts';
import { type MemoryServer, UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { parkedMs } from '../interaction/parked-calls.js';
import { type CallInput, caller, connectPlane, hang, toCall, tool } from '../testing/start-plane.js';
import { retryDelaysMs } from './keep-end.js';

const required = { execution: { taskSupport: 'required' } };
const job: CallInput = { kind: 'tool', id: 's.job' };
const question = { method: 'elicitation/create', params: {} } as const;
const gone = () => new UpstreamFailure('gone for a moment', { kind: 'unreachable', sent: false });

/** A server whose tool is run as a task of 2025-11-25, and what its result is. */
const legacy = (result: MemoryServer['handle']): MemoryServer => ({
  definitions: { tools: [tool('job', required)] },
  async handle(request, signal, handler) {
    if (request.method === 'tools/call') return { task: { taskId: 't' } };
    return request.method === 'tasks/result' ? ((await result?.(request, signal, handler)) ?? {}) : {};
  },
});

/** A server that makes a task of 2026-07-28 of a call, and what it says of it, one answer a poll. */
const modern = (...polls: readonly (() => JsonObject)[]): MemoryServer => {
  let poll = 0;
  return {
    protocolVersion: '2026-07-28',
    hasTasks: true,
    definitions: { tools: [tool('job')] },
    handle({ method }) {
      if (method === 'tools/call') return { resultType: 'task', taskId: 't', status: 'working', pollIntervalMs: 1000 };
      if (method !== 'tasks/get') return {};
      poll += 1;
      return polls[Math.min(poll, polls.length) - 1]?.() ?? {};
    },
  };
};
const working = () => ({ taskId: 't', status: 'working' });
const completed = () => ({ taskId: 't', status: 'completed', result: { content: [] } });

async function begin(server: MemoryServer, input: Partial<CallInput> = {}, file: object = {}) {
  const started = await connectPlane({ s: server }, file);
  const outcome = await started.plane.tasks.run(toCall({ ...job, ...input }), false);
  if (outcome.kind !== 'task') throw new Error(`no task: ${JSON.stringify(outcome)}`);
  const get = async () => (await started.plane.tasks.get(caller, outcome.task.task_id)) ?? { status: 'gone' };
  return { ...started, id: outcome.task.task_id, get };
}

describe('a task of a server', () => {
  it('ends by taskTimeoutMs, and the server gets a cancel', async () => {
    const { clock, get, server } = await begin(modern(working), {}, { toolTimeoutMs: 1000, taskTimeoutMs: 60_000 });
    for (let second = 0; second < 59; second += 1) await clock.advance(1000);
    expect(await get()).toMatchObject({ status: 'working' });
    for (let second = 0; second < 2; second += 1) await clock.advance(1000);
    expect(await get()).toMatchObject({ status: 'failed', result: { error: { code: 'UPSTREAM_TIMEOUT' } } });
    expect(server('s').requests().at(-1)?.method).toBe('tasks/cancel');
  });

  it('goes on though its server is away for a moment', async () => {
    const lost = (): never => {
      throw gone();
    };
    const { clock, get } = await begin(modern(working, lost, lost, completed));
    for (let second = 0; second < 5; second += 1) await clock.advance(1000);
    expect(await get()).toMatchObject({ status: 'completed', result: { ok: true } });
  });

  it('is never run again under its key once it was begun, however it is lost', async () => {
    const lost = (): never => {
      throw gone();
    };
    const { clock, get, execute, server } = await begin(modern(lost), { idempotencyKey: 'k' });
    for (let minute = 0; minute < 6; minute += 1) await clock.advance(60_000);
    expect(await get()).toMatchObject({
      status: 'failed',
      result: { error: { code: 'SERVER_UNREACHABLE' }, retry: { upstream_execution_state: 'unknown' } },
    });
    expect((await execute({ ...job, idempotencyKey: 'k' })).error?.code).toBe('SERVER_UNREACHABLE');
    expect(
      server('s')
        .requests()
        .filter(({ method }) => method === 'tools/call'),
    ).toHaveLength(1);
  });

  it('that has asked something takes as long afterwards as before', async () => {
    let end = (_result: JsonObject) => {};
    const server = legacy(async (_request, signal, handler) => {
      await handler?.onServerRequest(question, signal);
      return new Promise((resolve) => {
        end = resolve;
      });
    });
    const { plane, clock, id, get } = await begin(server, {}, { toolTimeoutMs: 1000 });
    await clock.advance(0);
    expect((await get()).status).toBe('input_required');
    await plane.tasks.respond(caller, id, { q1: { action: 'accept' } });
    await clock.advance(60_000);
    expect((await get()).status).toBe('working');
    end({ content: [] });
    await clock.advance(0);
    expect(await get()).toMatchObject({ status: 'completed' });
  });

  it('goes on once its question is answered by the ticket', async () => {
    const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } as const;
    const server = legacy(async (_request, signal, handler) => {
      const replies = (await handler?.onServerRequest(sampling, signal)) ?? {};
      return { content: [], structuredContent: { replies } };
    });
    const { plane, clock, get } = await begin(server);
    await clock.advance(0);
    expect((await get()).status).toBe('input_required');
    const answer = { role: 'assistant', content: { type: 'text', text: '4' }, model: 'm' } as const;
    await plane.sampling.respond('samp-0-1', answer);
    await clock.advance(0);
    const result = { ok: true, data: { structuredContent: { replies: answer } } };
    expect(await get()).toMatchObject({ status: 'completed', result });
  });

  it('without an answer ends', async () => {
    const server = legacy(
      async (_request, signal, handler) => (await handler?.onServerRequest(question, signal)) ?? {},
    );
    const { plane, clock, id, get } = await begin(server);
    await clock.advance(0);
    await clock.advance(parkedMs);
    expect(await get()).toMatchObject({ status: 'failed', result: { error: { code: 'OPERATION_CANCELLED' } } });
    expect((await plane.tasks.respond(caller, id, {})).kind).toBe('conflict');
  });

  it('delays no later call when all places are taken', async () => {
    const { clock, get } = await begin(modern(working, completed), {}, { toolTimeoutMs: 1000 });
    await clock.advance(60_000); // long past the deadline of the request that made it
    for (let second = 0; second < 3; second += 1) await clock.advance(1000);
    expect(await get()).toMatchObject({ status: 'completed' });
  });
});

describe('a task that cannot be kept', () => {
  it('does not take an answer, and takes it once it can', async () => {
    const server = legacy(
      async (_request, signal, handler) => (await handler?.onServerRequest(question, signal)) ?? {},
    );
    const { plane, clock, tasks, id, get } = await begin(server);
    await clock.advance(0);
    const { change } = tasks;
    Object.assign(tasks, { change: () => Promise.reject(new Error('disk I/O error')) });
    await expect(plane.tasks.respond(caller, id, { q1: { action: 'accept' } })).rejects.toThrow('disk I/O error');
    Object.assign(tasks, { change });
    expect((await get()).status).toBe('input_required');
    expect((await plane.tasks.respond(caller, id, { q1: { action: 'accept' } })).kind).toBe('done');
    await clock.advance(0);
    expect((await get()).status).toBe('completed');
  });
});

describe('the end of a task that cannot be kept', () => {
  const quick: MemoryServer = { definitions: { tools: [tool('job')] }, handle: () => ({ content: [] }) };

  async function endUnkept() {
    const started = await connectPlane({ s: quick });
    const { tasks } = started;
    const { change } = tasks;
    const break_ = (isBroken: boolean) =>
      Object.assign(tasks, { change: isBroken ? () => Promise.reject(new Error('disk I/O error')) : change });
    break_(true);
    const outcome = await started.plane.tasks.run(toCall(job), true);
    if (outcome.kind !== 'task') throw new Error('no task');
    await started.clock.advance(0);
    return { ...started, id: outcome.task.task_id, mend: () => break_(false) };
  }

  it('is still shown, and stored once it can be', async () => {
    const { plane, clock, tasks, id, mend } = await endUnkept();
    expect(await plane.tasks.get(caller, id)).toMatchObject({ status: 'completed', result: { ok: true } });
    expect((await plane.tasks.cancel(caller, id)).kind).toBe('conflict');
    await clock.advance(100);
    mend();
    expect((await tasks.get(id))?.status).toBe('working');
    await clock.advance(1000);
    expect((await tasks.get(id))?.status).toBe('completed');
    expect(await plane.tasks.get(caller, id)).toMatchObject({ status: 'completed' });
  });

  it('is tried a few times, and then logged', async () => {
    const { plane, clock, log, id } = await endUnkept();
    for (const delayMs of retryDelaysMs) await clock.advance(delayMs);
    expect(log.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'the end of a task could not be kept',
    ]);
    expect(await plane.tasks.get(caller, id)).toMatchObject({ status: 'completed' });
  });

  it('is tried once more at the end of the service', async () => {
    const { plane, tasks, id, mend } = await endUnkept();
    mend();
    await plane.close(0);
    expect((await tasks.get(id))?.status).toBe('completed');
  });
});

describe('a task that waits for answers', () => {
  const asks = (input: Partial<MemoryServer> = {}): MemoryServer => ({
    definitions: { tools: [tool('job'), tool('other')] },
    handle: async (_request, signal, handler) => (await handler?.onServerRequest(question, signal)) ?? {},
    ...input,
  });
  const answersWithQuestions = asks({
    protocolVersion: '2026-07-28',
    handle: () => ({ resultType: 'input_required', inputRequests: { q1: question }, requestState: 'x' }) as JsonObject,
  });
  async function waiting(server: MemoryServer, file: object = {}) {
    const started = await connectPlane({ s: server, t: {} }, file);
    const outcome = await started.plane.tasks.run(toCall({ ...job, idempotencyKey: 'k' }), true);
    if (outcome.kind !== 'task') throw new Error('no task');
    await started.clock.advance(0);
    return { ...started, id: outcome.task.task_id };
  }

  it('refuses what is no answer, and waits on', async () => {
    const { plane, clock, id } = await waiting(asks());
    await expect(plane.tasks.respond(caller, id, { q1: { action: 'perhaps' } })).rejects.toMatchObject({
      code: 'INVALID_ARGS',
      message: expect.stringContaining('input_responses.q1.action'),
    });
    expect(await plane.tasks.get(caller, id)).toMatchObject({ status: 'input_required' });
    expect((await plane.tasks.respond(caller, id, { q1: { action: 'accept' } })).kind).toBe('done');
    await clock.advance(0);
    expect(await plane.tasks.get(caller, id)).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['at its server', asks()],
    ['between two requests', answersWithQuestions],
  ])('%s leaves one record when it is cancelled, and one when it is not answered', async (_what, server) => {
    for (const end of ['cancel', 'wait'] as const) {
      const { plane, clock, audit, id } = await waiting(server);
      if (end === 'cancel') await plane.tasks.cancel(caller, id);
      else await clock.advance(parkedMs);
      const records = audit.kept().map(({ event_type, status, error_code }) => [event_type, status, error_code]);
      expect(records).toEqual([
        ['tool_call', 'intercepted', undefined],
        ['tool_call', 'cancelled', 'OPERATION_CANCELLED'],
      ]);
    }
  });

  it('is there for its principal, through profiles that show what it runs', async () => {
    const file = {
      profiles: {
        all: { servers: ['s', 't'] },
        without: { servers: ['t'] },
        narrow: { servers: ['s'], policy: { deny: ['s.job'] } },
      },
    };
    const { plane, id } = await waiting(asks(), file);
    const nobody = { role: null, actor: null };
    const seen = async (principal: string, profile: string | null) => {
      const by = { ...nobody, principal, profile };
      const { total, tasks } = await plane.tasks.list({ caller: by, limit: 10, offset: 0 });
      expect(tasks).toHaveLength(total);
      return [total, (await plane.tasks.get(by, id)) !== undefined];
    };
    expect(await seen('local', null)).toEqual([1, true]);
    expect(await seen('local', 'all')).toEqual([1, true]);
    for (const [principal, profile] of [
      ['local', 'without'],
      ['local', 'narrow'],
      ['eve', 'all'],
    ] as const) {
      expect(await seen(principal, profile)).toEqual([0, false]);
      const by = { ...nobody, principal, profile };
      expect((await plane.tasks.respond(by, id, { q1: { action: 'accept' } })).kind).toBe('unknown');
      expect((await plane.tasks.cancel(by, id)).kind).toBe('unknown');
    }
    expect((await plane.tasks.cancel({ ...nobody, principal: 'local', profile: 'all' }, id)).kind).toBe('done');
  });
});

describe('a call that is preferred as a task', () => {
  it('has taskTimeoutMs in place of toolTimeoutMs', async () => {
    const slow: MemoryServer = { definitions: { tools: [tool('job')] }, handle: hang };
    const file = { toolTimeoutMs: 1000, taskTimeoutMs: 60_000 };
    const { plane, clock } = await connectPlane({ s: slow }, file);
    const outcome = await plane.tasks.run(toCall(job), true);
    if (outcome.kind !== 'task') throw new Error('no task');
    await clock.advance(59_999);
    expect(await plane.tasks.get(caller, outcome.task.task_id)).toMatchObject({ status: 'working' });
    await clock.advance(1);
    const message = 'server "s" did not answer within 60000 ms (toolTimeoutMs, extended: taskTimeoutMs)';
    expect(await plane.tasks.get(caller, outcome.task.task_id)).toMatchObject({
      status: 'failed',
      result: { error: { code: 'UPSTREAM_TIMEOUT', message } },
    });
  });

  it('is not answered with the task of another one under its key', async () => {
    const server: MemoryServer = { definitions: { tools: [tool('job'), tool('other')] }, handle: hang };
    const { plane } = await connectPlane({ s: server }, { policy: { deny: ['s.denied'] } });
    const run = (input: Partial<CallInput>) =>
      plane.tasks.run(toCall({ ...job, idempotencyKey: 'k', args: { n: 1 }, ...input }), true);
    const first = await run({});
    if (first.kind !== 'task') throw new Error('no task');
    expect(await run({})).toMatchObject({ kind: 'task', task: { task_id: first.task.task_id } });
    for (const other of [{ args: { n: 2 } }, { id: 's.other' }]) {
      expect((await run(other)).envelope.error?.code).toBe('INVALID_ARGS');
    }
    expect((await run({ id: 's.nothing' })).envelope.error?.code).toBe('TOOL_NOT_FOUND');
  });

  it('is cancelled by its request id as well', async () => {
    const { plane, clock } = await connectPlane({ s: { definitions: { tools: [tool('job')] }, handle: hang } });
    const correlation = { requestId: 'r', traceId: 'a'.repeat(32) };
    const outcome = await plane.tasks.run(toCall({ ...job, correlation }), true);
    if (outcome.kind !== 'task') throw new Error('no task');
    expect(await plane.cancel('local', 'r')).toBe(true);
    await clock.advance(0);
    expect(await plane.tasks.get(caller, outcome.task.task_id)).toMatchObject({ status: 'cancelled' });
  });

  it('is one on a repeat with answers as well', async () => {
    const server: MemoryServer = {
      definitions: { tools: [tool('job')] },
      async handle(_request, signal, handler) {
        await handler?.onServerRequest(question, signal);
        return hang();
      },
    };
    const { plane, execute } = await connectPlane({ s: server });
    const asked = (await execute(job)).data as JsonObject;
    const turn = { requestState: String(asked.requestState), inputResponses: { q1: { action: 'accept' } } };
    expect((await plane.tasks.run(toCall({ ...job, ...turn }), true)).kind).toBe('task');
  });
});

it('a read that goes on as a task is safe to repeat, as any read is', async () => {
  const server: MemoryServer = { definitions: { resources: [{ uri: 'a://b', name: 'b' }] }, handle: hang };
  const { plane } = await connectPlane({ s: server });
  const { kind, envelope } = await plane.tasks.run(toCall({ kind: 'resource', id: 's.a://b' }), true);
  expect([kind, envelope.retry]).toEqual(['task', { classification: 'safe', upstream_execution_state: 'unknown' }]);
});
