// The outcomes that are kept under a key, for how long, and the rules that come before it.
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { dead, type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Batch, Envelope, IdempotencyRecord } from './support/wire.js';

const strict = { inputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } };
const tools = [
  ...['echo', 'never', 'fail', 'error', 'tool_error', 'held', 'crash'].map((name) => tool(name)),
  tool('strict', strict),
];

const keyed = (daemon: Daemon, id: string, key: string, args: object = {}) =>
  daemon.call(id, args, { idempotency_key: key });
const record = (daemon: Daemon, key: string) =>
  daemon.get<{ record: IdempotencyRecord }>(`/v1/idempotency/records/${encodeURIComponent(key)}`);

describe('kept under a key', () => {
  let upstream: Scripted;
  let daemon: Daemon;
  /** Gives calls little time: what is to be answered in time is asked of the other. */
  let hasty: { readonly upstream: Scripted; readonly daemon: Daemon };

  const start = async (config: object) => {
    const own = scripted({ tools });
    const started = await startDaemon({ mcpServers: { s: own.server }, ...config });
    await started.connected();
    return { upstream: own, daemon: started };
  };

  beforeAll(async () => {
    ({ upstream, daemon } = await start({ resilience: { failureThreshold: 1000 } }));
    hasty = await start({ toolTimeoutMs: 400 });
  });

  it.each([
    ['a success', 's.echo', {}, 200, undefined, 'completed'],
    ['a result that is an error of the tool', 's.tool_error', {}, 200, undefined, 'completed'],
    ['an error of the upstream', 's.fail', {}, 502, 'UPSTREAM_ERROR', 'completed'],
    ['an error that blames the request', 's.error', { code: -32602 }, 502, 'UPSTREAM_ERROR', 'completed'],
    ['a timeout', 's.never', {}, 504, 'UPSTREAM_TIMEOUT', 'unknown'],
    ['a lost connection', 's.crash', {}, 502, 'SERVER_UNREACHABLE', 'unknown'],
  ])(
    'is %s: a repeat gets it again and contacts no server [idempotency-kept-outcomes]',
    async (what, id, args, status, code, state) => {
      const { upstream: server, daemon: asked } = id === 's.never' ? hasty : { upstream, daemon };
      await asked.connected();
      const before = server.received('tools/call').length;
      const first = await keyed(asked, id, what, args);
      expect([first.status, first.body.error?.code, first.headers['x-service-deduplicated']]).toEqual([
        status,
        code,
        undefined,
      ]);
      expect(first.body.retry).toEqual({ classification: 'idempotent', upstream_execution_state: state });
      await eventually(() => expect(server.received('tools/call')).toHaveLength(before + 1)); // may be later than its end
      const again = await keyed(asked, id, what, args);
      expect([again.status, again.text, again.headers['x-service-deduplicated']]).toEqual([status, first.text, 'true']);
      expect((await record(asked, what)).body.record.response).toEqual(first.body);
      expect(server.received('tools/call')).toHaveLength(before + 1);
    },
  );

  it('is the result as the caller asked for it, shortened or not [idempotency-kept-outcomes]', async () => {
    await daemon.connected();
    const first = await keyed(daemon, 's.echo', 'shortened', { text: 'x', _jsonpath: '$.structuredContent.name' });
    expect(first.body.data).toBe('echo');
    expect(
      (await keyed(daemon, 's.echo', 'shortened', { text: 'x', _jsonpath: '$.structuredContent.name' })).text,
    ).toBe(first.text);
    expect((await keyed(daemon, 's.echo', 'shortened', { text: 'x' })).status).toBe(400);
  });
});

describe('not kept under a key', () => {
  it.each([
    ['wrong arguments', 's.strict', { n: 'x' }, 400, 'INVALID_ARGS'],
    ['an unknown tool', 's.nothing', {}, 404, 'TOOL_NOT_FOUND'],
    ['a denied tool', 's.echo', {}, 403, 'POLICY_DENIED'],
    ['a server that never connected', 'dead.x', {}, 502, 'SERVER_UNREACHABLE'],
  ])('is an outcome without contact to a server: %s [idempotency-kept-outcomes]', async (_, id, args, status, code) => {
    const upstream = scripted({ tools });
    const config = { mcpServers: { s: upstream.server, dead }, policy: { deny: ['s.echo'] } };
    const daemon = await startDaemon(config);
    await daemon.connected('s');
    await eventually(async () => expect((await daemon.server('dead')).status).toBe('degraded'));
    for (let count = 0; count < 2; count += 1) {
      const answer = await keyed(daemon, id, 'k', args);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      expect(answer.headers).not.toHaveProperty('x-service-deduplicated');
      expect((await record(daemon, 'k')).status).toBe(404);
    }
    // The key is free for another call.
    const used = await keyed(daemon, 's.strict', 'k', { n: 1 });
    expect([used.status, upstream.received('tools/call').length]).toEqual([200, 1]);
  });

  it('is the refusal of an open circuit, which does not stand in the way of a kept answer [idempotency-kept-outcomes] [idempotency-replay]', async () => {
    const upstream = scripted({ tools });
    const cooldownMs = 600_000;
    const resilience = { failureThreshold: 1, cooldownMs, consecutiveSuccesses: 1 };
    const config = { resilience, mcpServers: { s: upstream.server } };
    const daemon = await startDaemonProcess(config, { clockJumpMs: cooldownMs });
    await daemon.connected();
    const { pid: lost } = await daemon.server('s');
    const kept = await keyed(daemon, 's.echo', 'before');
    await daemon.call('s.crash');
    const refused = await keyed(daemon, 's.echo', 'meanwhile');
    expect([refused.status, refused.body.error.code]).toEqual([503, 'CIRCUIT_OPEN']);
    expect((await record(daemon, 'meanwhile')).status).toBe(404);
    expect((await keyed(daemon, 's.echo', 'before')).text).toBe(kept.text);
    daemon.jump();
    await eventually(async () => {
      const { status, pid, circuit } = await daemon.server('s');
      expect([status, pid === lost, circuit.state]).toEqual(['connected', false, 'half_open']);
    });
    const later = await keyed(daemon, 's.echo', 'meanwhile');
    expect([later.status, later.headers['x-service-deduplicated']]).toEqual([200, undefined]);
  });
});

describe('a record', () => {
  it('expires after ttlSecs, and the next call with its key runs [idempotency-expiry] [idempotency-ttl] [idempotency-get-404]', async () => {
    const upstream = scripted({ tools });
    const config = { idempotency: { ttlSecs: 40 }, mcpServers: { s: upstream.server } };
    const daemon = await startDaemonProcess(config, { clockJumpMs: 40_000 });
    await daemon.connected();
    await keyed(daemon, 's.echo', 'k');
    expect((await record(daemon, 'k')).status).toBe(200);
    daemon.jump();
    await eventually(async () => {
      const { status, body } = await daemon.get<Envelope>('/v1/idempotency/records/k');
      expect([status, body.error?.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    });
    expect((await daemon.get<{ records: [] }>('/v1/idempotency/records')).body.records).toEqual([]);
    const again = await keyed(daemon, 's.echo', 'k', { other: 'arguments' });
    expect([again.status, again.headers['x-service-deduplicated']]).toEqual([200, undefined]);
    expect(upstream.received('tools/call')).toHaveLength(2);
    expect((await record(daemon, 'k')).body.record.replay_count).toBe(0);
  });

  it('lives for 24 hours without a setting, as clocks of later daemons have it [idempotency-ttl]', async () => {
    const stateDir = tempFolder();
    const first = await startDaemon({ mcpServers: { s: scripted({ tools }).server } }, { stateDir });
    await first.connected();
    await keyed(first, 's.echo', 'k');
    await first.stop();
    const hourMs = 60 * 60 * 1000;
    const statusAfter = async (clockAheadMs: number) => {
      const later = await startDaemonProcess({ mcpServers: {} }, { stateDir, clockAheadMs });
      const { status } = await record(later, 'k');
      await later.stop();
      return status;
    };
    expect(await statusAfter(23.9 * hourMs)).toBe(200);
    expect(await statusAfter(24 * hourMs)).toBe(404);
  });
});

describe('a deny rule added since', () => {
  it.each([
    ['deny', { deny: ['s.echo'] }, 403, 'POLICY_DENIED'],
    ['allow', { allow: ['s.fail'] }, 404, 'TOOL_NOT_FOUND'],
  ])('comes before the answer that is kept: %s [idempotency-policy-first]', async (_, policy, status, code) => {
    const upstream = scripted({ tools });
    const stateDir = tempFolder();
    const config = { mcpServers: { s: upstream.server } };
    const before = await startDaemon(config, { stateDir });
    await before.connected();
    const kept = await keyed(before, 's.echo', 'k');
    await before.stop();
    const during = await startDaemon({ ...config, policy }, { stateDir });
    await during.connected();
    const refused = await keyed(during, 's.echo', 'k');
    expect([refused.status, refused.body.error.code, refused.body.data]).toEqual([status, code, null]);
    expect(refused.headers).not.toHaveProperty('x-service-deduplicated');
    await during.stop();
    const after = await startDaemon(config, { stateDir });
    await after.connected();
    expect((await keyed(after, 's.echo', 'k')).text).toBe(kept.text);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });
});

describe('a batch with a key of its own', () => {
  it('runs each step once under it, and its repeat none [idempotency-batches] [idempotency-key-sources]', async () => {
    const upstream = scripted({ tools });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const step = { capability_id: 's.echo', args: { n: 1 } };
    const batch = () =>
      daemon.post<Batch>(
        '/v1/tools/batch_call',
        {
          steps: [
            { id: 'one', ...step },
            { id: 'two', ...step },
            { id: 'three', capability_id: 's.fail', args: {} },
          ],
        },
        { 'idempotency-key': 'batch' },
      );
    const first = await batch();
    expect(first.body.results.map(({ ok }) => ok)).toEqual([true, true, false]);
    expect(upstream.received('tools/call')).toHaveLength(3);
    const again = await batch();
    const contents = ({ body }: typeof first) =>
      body.results.map(({ id, ok, data, error }) => ({ id, ok, data, error }));
    expect(contents(again)).toEqual(contents(first));
    expect(upstream.received('tools/call')).toHaveLength(3);
  });
});

describe('a batch whose client goes away', () => {
  it.each([
    ['is finished', { request_id: 'r' }, 2],
    ['is ended', {}, 1],
  ])(
    '%s with %j: that many steps were sent: %i [idempotency-disconnect] [idempotency-batches]',
    async (_, rest, sent) => {
      const upstream = scripted({ tools });
      const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
      await daemon.connected();
      const steps = [
        { id: 'one', capability_id: 's.held', args: {} },
        { id: 'two', capability_id: 's.echo', args: {} },
      ];
      const client = new AbortController();
      const gone = daemon
        .post('/v1/tools/batch_call', { steps, ...rest }, {}, client.signal)
        .catch((error: Error) => error.name);
      await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
      client.abort();
      expect(await gone).toBe('AbortError');
      if (sent === 1) await eventually(() => expect(upstream.received('notifications/cancelled')).toHaveLength(1));
      expect((await daemon.get('/healthz')).status).toBe(200); // by then the daemon has seen that the client has disconnected
      upstream.release();
      await daemon.stop(); // waits for what still runs
      expect(upstream.received('tools/call')).toHaveLength(sent);
      expect(upstream.received('notifications/cancelled')).toHaveLength(2 - sent);
    },
  );
});
