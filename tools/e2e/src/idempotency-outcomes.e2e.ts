// What is kept under a key and what is not, for how long, and which rules come before it.
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { dead, type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Batch, Envelope, IdempotencyRecord } from './support/wire.js';

const strict = { inputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } };
const tools = [
  ...['echo', 'never', 'fail', 'error', 'tool_error', 'slow', 'crash'].map((name) => tool(name)),
  tool('strict', strict),
];

const keyed = (daemon: Daemon, id: string, key: string, args: object = {}) =>
  daemon.call(id, args, { idempotency_key: key });
const record = (daemon: Daemon, key: string) =>
  daemon.get<{ record: IdempotencyRecord }>(`/v1/idempotency/records/${encodeURIComponent(key)}`);

describe('kept under a key', () => {
  let upstream: Scripted;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = scripted({ tools });
    const resilience = { failureThreshold: 1000 };
    daemon = await startDaemon({ toolTimeoutMs: 400, resilience, mcpServers: { s: upstream.server } });
    await daemon.connected();
  });

  it.each([
    ['a success', 's.echo', {}, 200, undefined, 'completed'],
    ['a result that is an error of the tool', 's.tool_error', {}, 200, undefined, 'completed'],
    ['an error of the upstream', 's.fail', {}, 502, 'UPSTREAM_ERROR', 'completed'],
    ['an error that blames the request', 's.error', { code: -32602 }, 502, 'UPSTREAM_ERROR', 'completed'],
    ['a timeout', 's.never', {}, 504, 'UPSTREAM_TIMEOUT', 'unknown'],
    ['a lost connection', 's.crash', {}, 502, 'SERVER_UNREACHABLE', 'unknown'],
  ])(
    'is %s: a repeat gets it again and contacts nobody [idempotency-kept-outcomes]',
    async (what, id, args, status, code, state) => {
      await daemon.connected();
      const before = upstream.received('tools/call').length;
      const first = await keyed(daemon, id, what, args);
      expect([first.status, first.body.error?.code, first.headers['x-service-deduplicated']]).toEqual([
        status,
        code,
        undefined,
      ]);
      expect(first.body.retry).toEqual({ classification: 'idempotent', upstream_execution_state: state });
      const again = await keyed(daemon, id, what, args);
      expect([again.status, again.text, again.headers['x-service-deduplicated']]).toEqual([status, first.text, 'true']);
      expect((await record(daemon, what)).body.record.response).toEqual(first.body);
      expect(upstream.received('tools/call')).toHaveLength(before + 1);
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
  ])('is what nobody was contacted for: %s [idempotency-kept-outcomes]', async (_, id, args, status, code) => {
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
    const resilience = { failureThreshold: 1, cooldownMs: 900, consecutiveSuccesses: 1 };
    const daemon = await startDaemon({ toolTimeoutMs: 300, resilience, mcpServers: { s: upstream.server } });
    await daemon.connected();
    const kept = await keyed(daemon, 's.echo', 'before');
    await daemon.call('s.never');
    const refused = await keyed(daemon, 's.echo', 'meanwhile');
    expect([refused.status, refused.body.error.code]).toEqual([503, 'CIRCUIT_OPEN']);
    expect((await record(daemon, 'meanwhile')).status).toBe(404);
    expect((await keyed(daemon, 's.echo', 'before')).text).toBe(kept.text);
    await eventually(async () => expect((await daemon.server('s')).circuit.state).toBe('half_open'));
    const later = await keyed(daemon, 's.echo', 'meanwhile');
    expect([later.status, later.headers['x-service-deduplicated']]).toEqual([200, undefined]);
  });
});

describe('a record', () => {
  it('is gone after ttlSecs, and the next call with its key runs [idempotency-expiry] [idempotency-ttl] [idempotency-get-404]', async () => {
    const upstream = scripted({ tools });
    const config = { idempotency: { ttlSecs: 40 }, mcpServers: { s: upstream.server } };
    const daemon = await startDaemon(config, { clockFactor: 20 });
    await daemon.connected();
    await keyed(daemon, 's.echo', 'k');
    expect((await record(daemon, 'k')).status).toBe(200);
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

  it('lives for 24 hours without a setting [idempotency-ttl]', async () => {
    const stateDir = tempFolder();
    const first = await startDaemon({ mcpServers: { s: scripted({ tools }).server } }, { stateDir });
    await first.connected();
    const completedAt = Date.now(); // or a little later
    await keyed(first, 's.echo', 'k');
    await first.stop();
    const clockFactor = 20_000;
    const startedAt = Date.now();
    const second = await startDaemon({ mcpServers: {} }, { stateDir, clockFactor });
    const readyAt = Date.now();
    const ttl = 24 * 60 * 60 * 1000;
    let [lastAsked, lastStatus] = [0, 0];
    await eventually(async () => {
      const asked = Date.now();
      const { status } = await record(second, 'k');
      if (status === 200) lastAsked = asked;
      lastStatus = status;
      expect(status).toBe(404);
    });
    // Between these lies its clock, which ran this much faster since somewhere between its start and its ready line.
    const latest = startedAt + (Date.now() - startedAt) * clockFactor;
    expect([lastStatus, latest - completedAt > ttl]).toEqual([404, true]);
    const earliestOfLast = readyAt + (lastAsked - readyAt) * clockFactor;
    expect(earliestOfLast - completedAt).toBeLessThan(ttl + 60_000);
    expect(earliestOfLast - completedAt).toBeGreaterThan(ttl / 4); // it was there for long
  });
});

describe('a deny rule added since', () => {
  it.each([
    ['deny', { deny: ['s.echo'] }, 403, 'POLICY_DENIED'],
    ['allow', { allow: ['s.slow'] }, 404, 'TOOL_NOT_FOUND'],
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
        { id: 'one', capability_id: 's.slow', args: { ms: 500 } },
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
      await daemon.stop(); // waits for what still runs
      expect(upstream.received('tools/call')).toHaveLength(sent);
      expect(upstream.received('notifications/cancelled')).toHaveLength(2 - sent);
    },
  );
});
