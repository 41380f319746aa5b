// The tasks extension: tasks of upstreams, and of the plane, as a client of 2026-07-28 sees them.
import type { JsonObject } from '@portico/contracts';
import { type MemoryServer, UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { startFacade } from '../testing/start-facade.js';

const inputSchema = { type: 'object' };
const question = { method: 'elicitation/create', params: { message: 'Sure?' } } as const;

/** Its one tool has to be run as a task, and ends on request; or asks first. */
function startJob(handle?: MemoryServer['handle']) {
  let end = (_result: JsonObject) => {};
  let fail = (_error: UpstreamFailure) => {};
  const server: MemoryServer = {
    definitions: { tools: [{ name: 'job', inputSchema, execution: { taskSupport: 'required' } }] },
    async handle(request, signal, handler) {
      if (request.method === 'tools/call') return request.params.task ? { task: { taskId: 't' } } : { content: [] };
      if (request.method !== 'tasks/result') return {};
      if (handle !== undefined) return handle(request, signal, handler);
      return new Promise((resolve, reject) => {
        end = resolve;
        fail = reject;
      });
    },
  };
  const file = { capabilityAliases: { job: { target: 's.job', passthrough: true } } };
  return {
    end: (r: JsonObject) => end(r),
    fail: (e: UpstreamFailure) => fail(e),
    start: () => startFacade({ servers: { s: server }, file }),
  };
}

const capabilities = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const resultOf = (body: unknown) => (body as { result: JsonObject }).result;

async function begin(job: ReturnType<typeof startJob>) {
  const facade = await job.start();
  const ask = async (method: string, params: JsonObject) => (await facade.ask(method, params, { capabilities })).body;
  const { _meta, ...created } = resultOf(await ask('tools/call', { name: 'job', arguments: {} }));
  const taskId = String(created.taskId);
  const get = async () => {
    const { _meta: _, ...task } = resultOf(await ask('tasks/get', { taskId }));
    return task;
  };
  return { facade, ask, created, taskId, get };
}

describe('a call that becomes a task', () => {
  it('is answered with it, and has its result once it has ended', async () => {
    const job = startJob();
    const { created, get, taskId } = await begin(job);
    const common = { taskId, createdAt: expect.any(String), lastUpdatedAt: expect.any(String) };
    const times = { ttlMs: 86_400_000, pollIntervalMs: 1000 };
    expect(created).toEqual({ resultType: 'task', status: 'working', ...common, ...times });
    expect(await get()).toEqual({ resultType: 'complete', status: 'working', ...common, ...times });
    job.end({ content: [{ type: 'text', text: 'done' }], isError: true });
    await expect.poll(async () => (await get()).status).toBe('completed');
    expect(await get()).toMatchObject({ result: { content: [{ type: 'text', text: 'done' }], isError: true } });
  });

  it('fails with the JSON-RPC error of its server', async () => {
    const job = startJob();
    const { get } = await begin(job);
    const error = { code: -32000, message: 'out of paper', data: { tray: 1 } };
    job.fail(new UpstreamFailure(error.message, { kind: 'rejected', error }));
    await expect.poll(async () => (await get()).status).toBe('failed');
    expect(await get()).toMatchObject({ error });
  });

  it('asks through the task, and takes the answer', async () => {
    const job = startJob(async (_request, signal, handler) => ({
      content: [],
      structuredContent: (await handler?.onServerRequest(question, signal)) ?? {},
    }));
    const { ask, get, taskId } = await begin(job);
    await expect.poll(async () => (await get()).status).toBe('input_required');
    expect((await get()).inputRequests).toEqual({ q1: question });
    const answer = { action: 'accept', content: { sure: true } };
    await ask('tasks/update', { taskId, inputResponses: { q1: answer } });
    await expect.poll(async () => (await get()).status).toBe('completed');
    expect(await get()).toMatchObject({ result: { structuredContent: answer } });
  });

  it('is cancelled, and stays so', async () => {
    const { ask, get, taskId } = await begin(startJob());
    for (let time = 0; time < 2; time += 1) {
      const { _meta, ...acknowledged } = resultOf(await ask('tasks/cancel', { taskId }));
      expect(acknowledged).toEqual({ resultType: 'complete' });
    }
    expect((await get()).status).toBe('cancelled');
  });
});

describe('the methods of tasks', () => {
  const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'];

  it.each(methods)('%s is refused to a request that does not declare the extension', async (method) => {
    const { facade, taskId } = await begin(startJob());
    const { status, body } = await facade.ask(method, { taskId });
    expect([status, body]).toMatchObject([
      400,
      {
        error: {
          code: -32021,
          data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
        },
      },
    ]);
  });

  it.each(methods)('%s knows no task of another name', async (method) => {
    const { ask } = await begin(startJob());
    expect(await ask(method, { taskId: 'task-of-nobody' })).toMatchObject({ error: { code: -32602 } });
  });

  it('are not there for a client of 2025-11-25, which waits for the result', async () => {
    const job = startJob(() => ({ content: [{ type: 'text', text: 'waited' }] }));
    const facade = await job.start();
    const { ask } = await facade.openSession();
    expect((await ask('tasks/get', { taskId: 'x' })).body).toMatchObject({ error: { code: -32601 } });
    const called = await ask('tools/call', { name: 'job', arguments: {} });
    expect(called.body).toMatchObject({ result: { content: [{ text: 'waited' }] } });
  });
});
