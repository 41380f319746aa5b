// Cancelling what is in flight by its request id: what the caller, the upstream and the circuit see of it.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from './support/client.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type DaemonProcess, startDaemonProcess } from './support/daemon-process.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Batch, Envelope } from './support/wire.js';

const createUpstream = () =>
  scripted({
    tools: ['echo', 'never', 'held', 'crash'].map((name) => tool(name)),
    resources: [
      { uri: 'book://x/never', name: 'never' },
      { uri: 'book://one', name: 'one' },
    ],
    prompts: [{ name: 'never' }],
  });

const toolTimeoutMs = 600_000;

async function open(rest: object = {}) {
  const upstream = createUpstream();
  const daemon = await startDaemon({ toolTimeoutMs, mcpServers: { s: upstream.server }, ...rest });
  await daemon.connected();
  return { daemon, upstream };
}

const cancel = (daemon: Daemon, id: string) =>
  daemon.send<unknown>(`/v1/operations/${encodeURIComponent(id)}/cancel`, { method: 'POST' });
const code = ({ status, body }: Reply<Envelope<unknown>>) => [status, body.error?.code];
const contacted = (upstream: Scripted, method: string, times = 1) =>
  eventually(() => expect(upstream.received(method)).toHaveLength(times));
const cancelledIds = (upstream: Scripted) =>
  upstream.received('notifications/cancelled').map(({ params }) => params.requestId);

const kinds: readonly [string, string, string, object, string][] = [
  ['call', '/v1/tools/call', 'tools/call', { capability_id: 's.never', args: {} }, 'idempotent'],
  ['read', '/v1/resources/read', 'resources/read', { resource_id: 's.book://x/never' }, 'safe'],
  ['prompt get', '/v1/prompts/get', 'prompts/get', { prompt_id: 's.never' }, 'safe'],
];

describe('cancelling', () => {
  /** For tests that look at their own calls alone. */
  let shared: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    shared = await open();
  });

  const contactedWith = (args: object) =>
    eventually(() =>
      expect(shared.upstream.received('tools/call').map(({ params }) => params.arguments)).toContainEqual(args),
    );

  it.each(kinds)(
    'a %s ends it for its caller and at the upstream [cancel-route] [cancel-ends-operation] [retry-unknown-cancel] [error-operation-cancelled] [error-retryable-false-cancelled] [cancel-reaches-upstream]',
    async (_, path, method, request, classification) => {
      const { daemon, upstream } = await open();
      const running = daemon.post<Envelope>(path, { ...request, request_id: 'r' });
      await contacted(upstream, method);
      const answer = await cancel(daemon, 'r');
      expect([answer.status, answer.body]).toEqual([200, { ok: true, request_id: 'r', cancelled: true }]);
      const { status, body } = await running;
      expect([status, body]).toEqual([
        499,
        {
          ok: false,
          request_id: 'r',
          trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
          retry: { classification, upstream_execution_state: 'unknown' },
          data: null,
          error: { code: 'OPERATION_CANCELLED', message: expect.any(String), retryable: false },
        },
      ]);
      await eventually(() => expect(cancelledIds(upstream)).toEqual([upstream.received(method)[0]?.id]));
      expect((await cancel(daemon, 'r')).body).toEqual({ ok: true, request_id: 'r', cancelled: false });
    },
  );

  it('a batch ends the step that runs, and no later one is started, with any setting for errors [cancel-ends-operation] [cancel-batch]', async () => {
    const { daemon, upstream } = await open();
    const step = (id: string, name: string) => ({
      id,
      capability_id: `s.${name}`,
      args: { id },
      continue_on_error: true,
    });
    const steps = [step('one', 'echo'), step('two', 'never'), step('three', 'echo'), step('four', 'never')];
    const running = daemon.post<Batch>('/v1/tools/batch_call', { steps, request_id: 'r' });
    await contacted(upstream, 'tools/call', 2);
    expect((await cancel(daemon, 'r')).body).toEqual({ ok: true, request_id: 'r', cancelled: true });
    const { status, body } = await running;
    expect([status, body.ok]).toEqual([200, false]);
    expect(body.results[0]).toMatchObject({ id: 'one', ok: true });
    expect(body.results[1]).toMatchObject({
      id: 'two',
      ok: false,
      error: expect.stringMatching(/^OPERATION_CANCELLED: /),
    });
    for (const later of body.results.slice(2)) expect(later.error).toMatch(/^OPERATION_CANCELLED: /);
    expect(upstream.received('tools/call')).toHaveLength(2);
    await eventually(() => expect(cancelledIds(upstream)).toEqual([upstream.received('tools/call')[1]?.id]));
  });

  it('what is not in flight changes nothing: never there, or over [cancel-unknown]', async () => {
    const { daemon } = shared;
    await daemon.call('s.echo', {}, { request_id: 'over' });
    for (const id of ['over', 'never there']) {
      const { status, body } = await cancel(daemon, id);
      expect([status, body]).toEqual([200, { ok: true, request_id: id, cancelled: false }]);
    }
  });

  it.each(['a/b', 'a b', '/cancel', 'ü 🗝', '100%', 'a%2Fb', 'x/cancel/y?z#'])(
    'finds the request id %j, percent-encoded [cancel-route]',
    async (id) => {
      const { daemon } = shared;
      const running = daemon.call('s.never', { id }, { request_id: id });
      await contactedWith({ id });
      expect((await cancel(daemon, id)).body).toEqual({ ok: true, request_id: id, cancelled: true });
      expect(code(await running)).toEqual([499, 'OPERATION_CANCELLED']);
    },
  );

  it('finds an operation whose request id came as a header [cancel-route]', async () => {
    const { daemon } = shared;
    const request = { capability_id: 's.never', args: { from: 'a header' } };
    const running = daemon.post<Envelope>('/v1/tools/call', request, { 'x-request-id': 'of a header' });
    await contactedWith(request.args);
    expect((await cancel(daemon, 'of a header')).body).toMatchObject({ cancelled: true });
    expect((await running).status).toBe(499);
  });

  it('needs no body; one that is no JSON is refused and cancels nothing [cancel-route]', async () => {
    const { daemon, upstream } = await open();
    const running = daemon.call('s.never', {}, { request_id: 'r' });
    await contacted(upstream, 'tools/call');
    const post = (headers: Record<string, string>, body?: string) =>
      daemon.send<Envelope>('/v1/operations/r/cancel', {
        method: 'POST',
        headers,
        ...(body === undefined ? {} : { body }),
      });
    expect(code(await post({ 'content-type': 'text/plain' }))).toEqual([415, 'INVALID_ARGS']);
    expect(code(await post({ 'content-type': 'text/plain' }, '{}'))).toEqual([415, 'INVALID_ARGS']);
    expect(code(await post({}, '{}'))).toEqual([415, 'INVALID_ARGS']);
    expect(upstream.received('notifications/cancelled')).toEqual([]);
    expect((await post({ 'content-type': 'application/json' }, '{}')).body).toMatchObject({ cancelled: true });
    expect((await running).status).toBe(499);
  });

  it('is kept under the key: a repeat is not run, but gets the same answer [cancel-ends-operation] [idempotency-kept-outcomes]', async () => {
    const { daemon, upstream } = await open();
    const call = () => daemon.call('s.never', {}, { request_id: 'r', idempotency_key: 'k' });
    const running = call();
    await contacted(upstream, 'tools/call');
    await cancel(daemon, 'r');
    const first = await running;
    const again = await call();
    expect([again.status, again.text, again.headers['x-service-deduplicated']]).toEqual([499, first.text, 'true']);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it('what waits for a free place leaves no trace: nothing was sent, and its key is free [cancel-ends-operation] [retry-not-sent] [idempotency-kept-outcomes]', async () => {
    const { daemon, upstream } = await open();
    const ids = Array.from({ length: 64 }, (_, n) => `r-${n}`);
    const running = ids.map((request_id) => daemon.call('s.never', { request_id }, { request_id }));
    await contacted(upstream, 'tools/call', 64);
    const queued = daemon.call('s.echo', {}, { request_id: 'r', idempotency_key: 'k' });
    await eventually(async () => expect((await cancel(daemon, 'r')).body).toMatchObject({ cancelled: true }));
    const { status, body } = await queued;
    expect([status, body.retry]).toEqual([499, { classification: 'safe', upstream_execution_state: 'not_started' }]);
    expect((await daemon.get('/v1/idempotency/records/k')).status).toBe(404);
    await Promise.all(ids.map((id) => cancel(daemon, id)));
    await Promise.all(running);
    expect((await daemon.call('s.echo', { last: true })).status).toBe(200);
    const calls = upstream.received('tools/call').map(({ params }) => params.arguments);
    expect([calls.length, calls.at(-1)]).toEqual([65, { last: true }]);
  });
});

describe('a request id in flight', () => {
  it('is refused to another operation without a key, which contacts nothing [cancel-request-id-unique]', async () => {
    const { daemon, upstream } = await open();
    const running = daemon.call('s.never', {}, { request_id: 'r' });
    await contacted(upstream, 'tools/call');
    const steps = [{ id: 'one', capability_id: 's.echo', args: {} }];
    const others = [
      await daemon.call('s.never', { other: 1 }, { request_id: 'r' }),
      await daemon.call('s.echo', {}, { request_id: 'r' }),
      await daemon.post<Envelope>('/v1/resources/read', { resource_id: 's.book://one' }, { 'x-request-id': 'r' }),
      await daemon.post<Envelope>('/v1/tools/batch_call', { steps, request_id: 'r' }),
    ];
    expect(others.map(code)).toEqual(others.map(() => [400, 'INVALID_ARGS']));
    for (const { body } of others) expect(body.error.message).toContain('"r"');
    expect([upstream.received('tools/call').length, upstream.received('resources/read').length]).toEqual([1, 0]);
    await cancel(daemon, 'r');
    expect((await running).status).toBe(499); // it was not overwritten
    expect((await daemon.call('s.echo', {}, { request_id: 'r' })).status).toBe(200);
  });

  it('joins the same request to the one that runs, and cancels both [cancel-request-id-unique] [idempotency-in-flight-joins]', async () => {
    const { daemon, upstream } = await open();
    const call = () => daemon.call('s.never', { n: 1 }, { request_id: 'r' });
    const first = call();
    await contacted(upstream, 'tools/call');
    const second = call();
    const other = daemon.call('s.echo', {}); // answered after the second has been taken in
    expect((await other).status).toBe(200);
    await cancel(daemon, 'r');
    expect([code(await first), code(await second)]).toEqual(Array(2).fill([499, 'OPERATION_CANCELLED']));
    expect(upstream.received('tools/call').filter(({ params }) => params.name === 'never')).toHaveLength(1);
  });

  it('of a joined call ends the wait of that caller alone [cancel-ends-operation]', async () => {
    const { daemon, upstream } = await open();
    const call = (request_id: string) => daemon.call('s.held', {}, { request_id, idempotency_key: 'k' });
    const first = call('first');
    await contacted(upstream, 'tools/call');
    const second = call('second');
    await eventually(async () => expect((await cancel(daemon, 'second')).body).toMatchObject({ cancelled: true }));
    expect(code(await second)).toEqual([499, 'OPERATION_CANCELLED']);
    upstream.release();
    expect((await first).status).toBe(200);
    expect([upstream.received('tools/call').length, cancelledIds(upstream)]).toEqual([1, []]);
  });
});

describe('a circuit', () => {
  const cooldownMs = 600_000;
  const circuit = async (daemon: Daemon, id: string) => (await daemon.server(id)).circuit;
  /** A server each. */
  const endings = ['cancelled', 'abandoned'];
  const upstreams = new Map<string, Scripted>();
  let jumping: DaemonProcess;

  beforeAll(async () => {
    for (const how of endings) upstreams.set(how, createUpstream());
    const mcpServers = Object.fromEntries([...upstreams].map(([how, { server }]) => [how, server]));
    const resilience = { failureThreshold: 1, cooldownMs, consecutiveSuccesses: 1 };
    jumping = await startDaemonProcess({ toolTimeoutMs, mcpServers, resilience }, { clockJumpMs: cooldownMs });
    await jumping.connected();
  });

  it('does not count a cancel as a failure [breaker-ignores-cancels]', async () => {
    const { daemon, upstream } = await open({ resilience: { failureThreshold: 1, cooldownMs } });
    for (let count = 1; count <= 3; count += 1) {
      const running = daemon.call('s.never', { count }, { request_id: 'r' });
      await contacted(upstream, 'tools/call', count);
      await cancel(daemon, 'r');
      expect((await running).status).toBe(499);
    }
    expect(await circuit(daemon, 's')).toEqual({ state: 'closed', consecutive_failures: 0, remaining_ms: 0 });
    expect((await daemon.call('s.echo')).status).toBe(200);
  });

  it.each(endings)(
    'that is half open has its slot back when its probe is %s [breaker-probe-cancelled]',
    async (how) => {
      const daemon = jumping;
      const upstream = upstreams.get(how) as Scripted; // as the hook has it
      const { pid: lost } = await daemon.server(how);
      expect((await daemon.call(`${how}.crash`)).status).toBe(502);
      daemon.jump();
      await eventually(async () => {
        const { status, pid, circuit: now } = await daemon.server(how);
        expect([status, pid === lost, now.state]).toEqual(['connected', false, 'half_open']);
      });
      const client = new AbortController();
      const request = { capability_id: `${how}.never`, args: {}, ...(how === 'cancelled' ? { request_id: 'r' } : {}) };
      const probe = daemon.post<Envelope>('/v1/tools/call', request, {}, client.signal).catch(() => undefined);
      await contacted(upstream, 'tools/call', 2);
      expect(code(await daemon.call(`${how}.echo`))).toEqual([503, 'CIRCUIT_OPEN']);
      if (how === 'cancelled') await cancel(daemon, 'r');
      else client.abort();
      expect((await probe)?.status).toBe(how === 'cancelled' ? 499 : undefined);
      await eventually(async () => expect((await daemon.call(`${how}.echo`)).status).toBe(200));
      expect((await circuit(daemon, how)).state).toBe('closed');
    },
  );
});
