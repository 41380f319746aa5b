// Calls that ask before they answer, over HTTP: the caller gets the questions and comes back with the answers, with
// servers of both eras.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { everything, hasItsRoots } from './support/everything.js';
import { type Asking, asking } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

interface Interim {
  readonly resultType: string;
  readonly inputRequests: Readonly<Record<string, { readonly method: string; readonly params: object }>>;
  readonly requestState: string;
  readonly structuredContent: { readonly replies: unknown };
  readonly content: readonly { readonly text: string }[];
}

const answers: Readonly<Record<string, object>> = {
  'elicitation/create': { action: 'accept', content: { name: 'Ann' } },
  'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'none' },
  'roots/list': { roots: [{ uri: 'file:///srv', name: 'srv' }] },
};

/** Answers every question as its method has it. */
const answersTo = ({ inputRequests }: Interim) =>
  Object.fromEntries(Object.entries(inputRequests).map(([key, { method }]) => [key, answers[method]]));

const turn = (interim: Interim, input_responses: object = answersTo(interim)) => ({
  request_state: interim.requestState,
  input_responses,
});

describe.each(['legacy', 'modern'] as const)('a %s server that asks', (era) => {
  let upstream: Asking;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = asking(era);
    daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
  });

  const calls = () => upstream.received('tools/call').length;
  const call = async (args: object, rest: object = {}) => (await daemon.call<Interim>('s.ask', args, rest)).body;

  it.each(Object.keys(answers))(
    'has its question %s answered by the caller, who comes back [interactive-interim] [interactive-resume] [retry-unknown-interim]',
    async (method) => {
      const args = { method, params: { message: 'x', messages: [], maxTokens: 1 } };
      const accepting = { accept_input: ['roots'] }; // the other kinds are asked anyway
      const reply = await daemon.call<Interim>('s.ask', args, accepting);
      expect(reply).toMatchObject({
        status: 200,
        body: {
          ok: true,
          error: null,
          retry: { classification: 'unsafe', upstream_execution_state: 'unknown' },
          data: { resultType: 'input_required', requestState: expect.any(String) },
        },
      });
      const { data } = reply.body;
      expect(Object.values(data.inputRequests)).toEqual([{ method, params: args.params }]);
      const done = await call(args, { ...accepting, ...turn(data) });
      expect(done).toMatchObject({ ok: true, data: { structuredContent: { replies: [answers[method]] } } });
    },
  );

  it('asks as often as it likes', async () => {
    const args = { times: 3 };
    let { data } = await call(args);
    for (let round = 0; round < 2; round += 1) data = (await call(args, turn(data))).data;
    expect((await call(args, turn(data))).data.structuredContent.replies).toHaveLength(3);
  });

  it('waits longer than toolTimeoutMs for a person [call-timeout-pauses-for-humans]', async () => {
    const toolTimeoutMs = 3000; // enough for what the server does, on any machine
    const hurried = await startDaemon({ mcpServers: { s: asking(era).server }, toolTimeoutMs });
    await hurried.connected();
    const { data } = (await hurried.call<Interim>('s.ask')).body;
    await sleep(toolTimeoutMs + 500); // what the test is about
    expect((await hurried.call('s.ask', {}, turn(data))).body.ok).toBe(true);
  });

  it('is not run again under its key, and its answer is kept', async () => {
    const keyed = { idempotency_key: 'k' };
    const { data } = await call({}, keyed);
    const done = await call({}, { ...keyed, ...turn(data) });
    const before = calls();
    expect((await call({}, keyed)).data).toEqual(done.data);
    expect(calls()).toBe(before);
  });

  it('gets its state back byte for byte, and none that was changed [call-state-refused]', async () => {
    const { data } = await call({});
    const before = calls();
    const changed = await call({}, turn({ ...data, requestState: `x${data.requestState}` }));
    expect(changed.ok).toBe(false);
    // A server of 2026-07-28 judges the state that it gave.
    expect(calls() - before).toBe(era === 'modern' ? 1 : 0);
    expect((await call({}, turn(data))).ok).toBe(true);
  });
});

describe('a state of a call that waits', () => {
  it('is good for one use, one caller and one call [call-state-refused]', async () => {
    const upstream = asking('legacy');
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const { data } = (await daemon.call<Interim>('s.ask', { n: 1 })).body;
    const attempts: readonly [string, object, object][] = [
      ['s.ask', { n: 2 }, turn(data)],
      ['s.echo', { n: 1 }, turn(data)],
      ['s.ask', { n: 1 }, turn({ ...data, requestState: data.requestState.slice(0, -1) })],
    ];
    for (const [id, args, rest] of attempts) {
      expect(await daemon.call<Envelope>(id, args, rest)).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_ARGS' }, retry: { upstream_execution_state: 'not_started' } },
      });
    }
    expect((await daemon.call('s.ask', { n: 1 }, turn(data))).status).toBe(200);
    expect((await daemon.call('s.ask', { n: 1 }, turn(data))).status).toBe(400);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it('says of a call that waits behind it what it waits for', async () => {
    const upstream = asking('legacy');
    const server = { ...upstream.server, maxProcesses: 1 };
    const daemon = await startDaemon({ mcpServers: { s: server }, toolTimeoutMs: 3000 });
    await daemon.connected();
    const { data } = (await daemon.call<Interim>('s.ask', {})).body; // from now on it is known that the tool asks
    await daemon.call('s.ask', {}, turn(data));
    await daemon.call('s.ask', { n: 1 });
    expect((await daemon.call('s.echo', {})).status).toBe(200);
    const { status, body } = await daemon.call('s.ask', { n: 2 });
    expect([status, body.error?.code, body.retry.upstream_execution_state]).toEqual([
      504,
      'UPSTREAM_TIMEOUT',
      'not_started',
    ]);
    expect(body.error?.message).toContain('another waits for its caller');
  });

  it('ends with its cancel, which the server receives', async () => {
    const upstream = asking('legacy');
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const id = { request_id: 'r', idempotency_key: 'k' };
    const { data } = (await daemon.call<Interim>('s.ask', {}, id)).body;
    expect((await daemon.post('/v1/operations/r/cancel', {})).body).toMatchObject({ cancelled: true });
    const cancelled = { status: 499, body: { error: { code: 'OPERATION_CANCELLED' } } };
    expect(await daemon.call('s.ask', {}, { ...id, ...turn(data) })).toMatchObject(cancelled);
    expect(await daemon.call('s.ask', {}, id)).toMatchObject(cancelled);
    expect((await daemon.call('s.ask', {}, turn(data))).status).toBe(400);
    await eventually(() => expect(upstream.received('notifications/cancelled')).toHaveLength(1));
    expect(upstream.received('tools/call')).toHaveLength(1);
    const { body } = await daemon.get<{ events: unknown[] }>('/v1/audit/events?event_type=tool_call&status=cancelled');
    expect(body.events).toMatchObject([{ capability_id: 's.ask', error_code: 'OPERATION_CANCELLED' }]);
  });

  it('stays valid after an invalid answer [call-state-refused]', async () => {
    const upstream = asking('legacy');
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const { data } = (await daemon.call<Interim>('s.ask', {})).body;
    const refused = await daemon.call<Envelope>('s.ask', {}, turn(data, { q1: { action: 'perhaps' } }));
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_ARGS', message: expect.stringContaining('input_responses.q1.action') } },
    });
    expect((await daemon.call('s.ask', {}, turn(data))).status).toBe(200);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });
});

describe('server-everything', () => {
  it('asks a caller over HTTP, in two calls at once that do not mix', async () => {
    const daemon = await startDaemon({ mcpServers: { e: everything } });
    await daemon.connected();
    await hasItsRoots(daemon, 'e');
    const call = async (rest: object = {}) =>
      (await daemon.call<Interim>('e.trigger-elicitation-request', {}, rest)).body.data;
    const first = await call();
    const content = { action: 'accept', content: { name: 'Ann', check: true } };
    const key = Object.keys(first.inputRequests)[0] ?? '';
    const done = await call(turn(first, { [key]: content }));
    expect(done.content.map(({ text }) => text).join('\n')).toContain('Name: Ann');
    const sum = daemon.call('e.get-sum', { a: 1, b: 2 });
    const second = await call();
    expect((await sum).status).toBe(200);
    expect((await call(turn(second, { [key]: { action: 'decline' } }))).content[0]?.text).toContain('declined');
  });
});
