// Calls that go on without their callers: asked for by the caller, or made by the server, in both eras.
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { asking, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

interface Task {
  readonly task_id: string;
  readonly status: string;
  readonly input_requests?: Readonly<Record<string, { readonly method: string }>>;
  readonly result?: Envelope;
}
interface TaskAnswer {
  readonly ok: boolean;
  readonly task: Task;
}

const preferAsync = { Prefer: 'respond-async' };

function tasksOf(daemon: Daemon) {
  const get = async (id: string) => (await daemon.get<TaskAnswer>(`/v1/tasks/${id}`)).body.task;
  return {
    get,
    /** Calls something that becomes a task. */
    async begin(capability_id: string, args: object = {}, rest: object = {}, headers: Record<string, string> = {}) {
      const reply = await daemon.post<Envelope<{ readonly resultType: string; readonly task: Task }>>(
        '/v1/tools/call',
        { capability_id, args, ...rest },
        headers,
      );
      expect([reply.status, reply.body.data?.resultType]).toEqual([202, 'task']);
      expect(reply.headers.location).toBe(`/v1/tasks/${reply.body.data.task.task_id}`);
      return reply.body.data.task;
    },
    async until(id: string, status: string): Promise<Task> {
      await eventually(async () => expect((await get(id)).status).toBe(status));
      return get(id);
    },
    respond: (id: string, input_responses: object) =>
      daemon.post<TaskAnswer>(`/v1/tasks/${id}/respond`, { input_responses }),
    cancel: (id: string) => daemon.post<TaskAnswer>(`/v1/tasks/${id}/cancel`, {}),
  };
}

describe('a call whose caller prefers not to wait', () => {
  async function start(stateDir = tempFolder()) {
    const upstream = scripted({ tools: [tool('slow'), tool('never'), tool('fail'), tool('a'), tool('denied')] });
    const config = { mcpServers: { s: upstream.server }, policy: { deny: ['s.denied'] } };
    const daemon = await startDaemon(config, { stateDir });
    await daemon.connected();
    return { upstream, daemon, ...tasksOf(daemon) };
  }

  it('becomes a task, whose result is the envelope [tasks-accepted] [tasks-get-route] [tasks-record-fields]', async () => {
    const { begin, until } = await start();
    const task = await begin('s.slow', { ms: 300 }, { request_id: 'r' }, preferAsync);
    expect(task).toEqual({
      task_id: expect.stringMatching(/^task-[0-9a-f]{32}$/),
      status: 'working',
      capability_id: 's.slow',
      channel: 'http',
      request_id: 'r',
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      ttl_ms: 86_400_000,
      poll_interval_ms: 1000,
    });
    expect((await until(task.task_id, 'completed')).result).toMatchObject({
      ok: true,
      request_id: 'r',
      data: { content: [{ type: 'text', text: 'slow' }] },
    });
  });

  it('may fail as a task [tasks-states]', async () => {
    const { begin, until } = await start();
    const { task_id } = await begin('s.fail', {}, {}, preferAsync);
    expect(await until(task_id, 'failed')).toMatchObject({
      status_message: expect.stringContaining('failed on purpose'),
      result: { ok: false, error: { code: 'UPSTREAM_ERROR' } },
    });
  });

  it.each([
    ['s.denied', 403, 'POLICY_DENIED'],
    ['s.nothing', 404, 'TOOL_NOT_FOUND'],
  ])('is refused at once where it cannot be run: %s', async (capability_id, status, code) => {
    const { daemon } = await start();
    const reply = await daemon.post<Envelope>('/v1/tools/call', { capability_id, args: {} }, preferAsync);
    expect([reply.status, reply.body.error.code]).toEqual([status, code]);
    expect((await daemon.get('/v1/tasks')).body).toMatchObject({ total: 0, tasks: [] });
  });

  it('is one task under one key', async () => {
    const { begin, until, upstream } = await start();
    const key = { idempotency_key: 'k' };
    const first = await begin('s.slow', { ms: 300 }, key, preferAsync);
    expect((await begin('s.slow', { ms: 300 }, key, preferAsync)).task_id).toBe(first.task_id);
    await until(first.task_id, 'completed');
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it.each([
    ['its route', {}, ({ cancel }: ReturnType<typeof tasksOf>, id: string) => cancel(id)],
    [
      'its request id',
      { request_id: 'r' },
      (_tasks: unknown, _id: string, daemon: Daemon) => daemon.post('/v1/operations/r/cancel', {}),
    ],
    [
      'its route, though it has a key',
      { idempotency_key: 'k' },
      ({ cancel }: ReturnType<typeof tasksOf>, id: string) => cancel(id),
    ],
  ])('is cancelled by %s, and the server gets the cancel [tasks-cancel]', async (_what, rest, cancel) => {
    const { daemon, upstream, ...tasks } = await start();
    const { task_id } = await tasks.begin('s.never', {}, rest, preferAsync);
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    expect((await cancel(tasks, task_id, daemon)).status).toBe(200);
    await eventually(async () => expect(['cancelled', 'failed']).toContain((await tasks.get(task_id)).status));
    expect((await tasks.get(task_id)).result).toMatchObject({ ok: false, error: { code: 'OPERATION_CANCELLED' } });
    await eventually(() => expect(upstream.received('notifications/cancelled')).toHaveLength(1));
    expect((await tasks.cancel(task_id)).status).toBe(409);
    expect((await tasks.respond(task_id, {})).status).toBe(409);
  });

  it('outlives the service: what has ended is there, and what ran has an unknown outcome', async () => {
    const stateDir = tempFolder();
    const upstream = scripted({ tools: [tool('never'), tool('a')] });
    const daemon = await startDaemonProcess({ mcpServers: { s: upstream.server } }, { stateDir });
    await daemon.connected();
    const { begin, until } = tasksOf(daemon);
    const ended = await begin('s.a', {}, {}, preferAsync);
    const { result } = await until(ended.task_id, 'completed');
    const running = await begin('s.never', {}, {}, preferAsync);
    await daemon.stop('SIGKILL');
    const next = await start(stateDir);
    expect((await next.get(ended.task_id)).result).toEqual(result);
    expect(await next.until(running.task_id, 'failed')).toMatchObject({
      status_message: 'the service ended while it ran',
      result: { ok: false, retry: { upstream_execution_state: 'unknown' }, error: { code: 'INTERNAL_ERROR' } },
    });
  });

  it('is listed, newest first, without results', async () => {
    const { begin, until, cancel, daemon } = await start();
    const a = await begin('s.a', {}, {}, preferAsync);
    await until(a.task_id, 'completed');
    const b = await begin('s.never', {}, {}, preferAsync);
    const list = async (query = '') =>
      (await daemon.get<{ total: number; tasks: readonly Task[] }>(`/v1/tasks${query}`)).body;
    const { total, tasks } = await list();
    expect([total, tasks.map(({ task_id }) => task_id)]).toEqual([2, [b.task_id, a.task_id]]);
    expect(tasks.every(({ result }) => result === undefined)).toBe(true);
    expect((await list('?status=completed')).tasks).toHaveLength(1);
    expect((await daemon.get('/v1/tasks?status=done')).status).toBe(400);
    expect((await daemon.get('/v1/tasks/task-0')).status).toBe(404);
    expect((await daemon.post('/v1/tasks/task-0/cancel', {})).status).toBe(404);
    await cancel(b.task_id); // the daemon would wait for it at its end
  });
});

describe.each(['legacy', 'modern'] as const)('a %s server that makes a task of a call', (era) => {
  const answer = { action: 'accept', content: { name: 'Ann' } };

  async function start() {
    const upstream = asking(era);
    const daemon = await startDaemon({ mcpServers: { s: upstream.server }, toolTimeoutMs: 3000 });
    await daemon.connected();
    return { upstream, daemon, ...tasksOf(daemon) };
  }

  it('has it followed to its end, however long that takes [tasks-accepted]', async () => {
    const { begin, until } = await start();
    const { task_id } = await begin('s.job', { ms: 3500 });
    expect((await until(task_id, 'completed')).result).toMatchObject({
      ok: true,
      data: { structuredContent: { replies: null } },
    });
  });

  it('has it fail', async () => {
    const { begin, until } = await start();
    const { task_id } = await begin('s.job', { ms: -1 });
    expect((await until(task_id, 'failed')).result).toMatchObject({ ok: false, error: { code: 'UPSTREAM_ERROR' } });
  });

  it('asks through it [tasks-input] [tasks-states]', async () => {
    const { begin, until, respond } = await start();
    const { task_id } = await begin('s.job', { asks: true });
    const { input_requests = {} } = await until(task_id, 'input_required');
    const [[key, question] = ['', undefined]] = Object.entries(input_requests);
    expect(question?.method).toBe('elicitation/create');
    expect((await respond(task_id, { [key]: answer })).body).toMatchObject({ ok: true, task: { status: 'working' } });
    expect((await until(task_id, 'completed')).result).toMatchObject({
      data: { structuredContent: { replies: answer } },
    });
  });

  it.each([{ ms: 60_000 }, { asks: true }])('gets a cancel (%o) [tasks-cancel]', async (args) => {
    const { begin, until, cancel, upstream } = await start();
    const { task_id } = await begin('s.job', args);
    if (args.asks) await until(task_id, 'input_required');
    expect((await cancel(task_id)).body).toMatchObject({ ok: true, task: { status: 'cancelled' } });
    await eventually(() => expect(upstream.received('tasks/cancel')).toHaveLength(1));
  });
});
