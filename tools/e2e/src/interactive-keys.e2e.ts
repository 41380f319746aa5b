// Calls under a key that wait for their callers: after every end of the wait, their servers receive them once.
import { describe, expect, it } from 'vitest';
import { openTicket } from './support/approvals.js';
import { tempFolder } from './support/cleanup.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { asking } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { IdempotencyRecord } from './support/wire.js';

interface Interim {
  readonly requestState: string;
  readonly structuredContent: { readonly replies: unknown };
}

const answer = { action: 'accept', content: { name: 'Ann' } };
const turn = ({ requestState }: Interim) => ({ request_state: requestState, input_responses: { q1: answer } });

async function setUp(config: object = {}) {
  const upstream = asking('legacy');
  const options = { stateDir: tempFolder() };
  const start = async () => {
    const daemon = await startDaemonProcess({ mcpServers: { s: upstream.server }, ...config }, options);
    await daemon.connected();
    return daemon;
  };
  return { upstream, start, daemon: await start() };
}

describe('a call under a key that waits for its caller', () => {
  it.each([
    ['its own key', { idempotency_key: 'k' }],
    ['the key derived from its request id', { request_id: 'r' }],
  ])('has an unknown outcome under %s once the service was killed [idempotency-crash]', async (_what, rest) => {
    const { upstream, start, daemon } = await setUp();
    const { data } = (await daemon.call<Interim>('s.ask', {}, rest)).body;
    await daemon.stop('SIGKILL');
    const second = await start();
    for (const more of [{}, turn(data)]) {
      const { status, headers, body } = await second.call('s.ask', {}, { ...rest, ...more });
      expect([status, headers['x-service-deduplicated']]).toEqual([500, 'true']);
      expect(body.error).toMatchObject({ code: 'INTERNAL_ERROR', retryable: false });
      expect(body.retry.upstream_execution_state).toBe('unknown');
    }
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it('has the outcome that its server gave without receiving the answers', async () => {
    const { upstream, daemon } = await setUp();
    const key = { idempotency_key: 'k' };
    await daemon.call('s.ask', { patienceMs: 1 }, key);
    await eventually(async () => {
      const { body } = await daemon.get<{ records: IdempotencyRecord[] }>('/v1/idempotency/records');
      expect(body.records).toMatchObject([{ completed_at_epoch_secs: expect.any(Number) }]);
    });
    const again = await daemon.call<Interim>('s.ask', { patienceMs: 1 }, key);
    expect(again.headers['x-service-deduplicated']).toBe('true');
    expect(again.body.data.structuredContent.replies).toBeNull();
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it('has the outcome of its server being lost', async () => {
    const { upstream, daemon } = await setUp();
    const key = { idempotency_key: 'k' };
    await daemon.call('s.ask', {}, key);
    process.kill(upstream.received('tools/call')[0]!.pid, 'SIGKILL');
    await eventually(async () => {
      const { status, headers } = await daemon.call('s.ask', {}, key);
      expect([status, headers['x-service-deduplicated']]).toEqual([502, 'true']);
    });
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it('belongs to its key: under another, or none, its state is refused [call-state-refused]', async () => {
    const { upstream, daemon } = await setUp();
    const { data } = (await daemon.call<Interim>('s.ask', {}, { idempotency_key: 'k' })).body;
    for (const other of [{ idempotency_key: 'k2' }, {}, { request_id: 'r' }]) {
      expect((await daemon.call('s.ask', {}, { ...other, ...turn(data) })).status).toBe(400);
    }
    expect((await daemon.call('s.ask', {}, { idempotency_key: 'k', ...turn(data) })).status).toBe(200);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it('that a request id identifies goes on under any request id that its caller comes back with', async () => {
    const { upstream, daemon } = await setUp();
    const { data } = (await daemon.call<Interim>('s.ask', {}, { request_id: 'r' })).body;
    const done = await daemon.call<Interim>('s.ask', {}, { request_id: 'r2', ...turn(data) });
    expect(done.body.data.structuredContent.replies).toEqual([answer]);
    const first = await daemon.call('s.ask', {}, { request_id: 'r' });
    expect(first.headers['x-service-deduplicated']).toBe('true');
    expect(first.body.data).toEqual(done.body.data);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it('and was approved is asked, answered and kept once', async () => {
    const { upstream, daemon } = await setUp({ policy: { requireApproval: ['s.ask'] } });
    const key = { idempotency_key: 'k' };
    const ticket = await openTicket(daemon, 's.ask', {}, key);
    await daemon.post(`/v1/approvals/${ticket}/approve`, { operator: 'ann' });
    const { data } = (await daemon.call<Interim>('s.ask', {}, key)).body;
    const done = await daemon.call<Interim>('s.ask', {}, { ...key, ...turn(data) });
    expect(done.body.data.structuredContent.replies).toEqual([answer]);
    expect((await daemon.call('s.ask', {}, key)).body.data).toEqual(done.body.data);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });
});
