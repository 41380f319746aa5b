// Keys across the end of the service: no call runs twice, and an answered call is answered again.
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { dead, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope, IdempotencyRecord } from './support/wire.js';

const tools = [tool('echo'), tool('never'), tool('fail'), tool('slow')];

function setUp() {
  const upstream = scripted({ tools, resources: [{ uri: 'book://x/never', name: 'never' }] });
  const config = { toolTimeoutMs: 600_000, mcpServers: { s: upstream.server } };
  const options = { stateDir: tempFolder() };
  const startBy = async <D extends Daemon>(starter: (config: object, given: typeof options) => Promise<D>) => {
    const daemon = await starter(config, options);
    await daemon.connected();
    return daemon;
  };
  /** One that gets a signal. */
  const startProcess = () => startBy(startDaemonProcess);
  return { upstream, start: () => startBy(startDaemon), startProcess, options };
}

const record = { path: (key: string) => `/v1/idempotency/records/${key}` };

describe('a call that runs when the service is killed', () => {
  it.each([
    ['its own key', { idempotency_key: 'k' }],
    ['the key derived from its request id', { request_id: 'r' }],
  ])(
    'is not run again under %s: its outcome is unknown [idempotency-crash] [idempotency-first-request]',
    async (_, rest) => {
      const { upstream, start, startProcess } = setUp();
      const first = await startProcess();
      const running = first.call('s.never', { n: 1 }, rest).catch((error: NodeJS.ErrnoException) => error.code);
      await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
      await first.stop('SIGKILL');
      expect(await running).toBe('ECONNRESET');
      const second = await start();
      for (let count = 0; count < 2; count += 1) {
        const { status, headers, body } = await second.call('s.never', { n: 1 }, rest);
        expect([status, body.ok, body.data, headers['x-service-deduplicated']]).toEqual([500, false, null, 'true']);
        expect(body.error).toEqual({ code: 'INTERNAL_ERROR', message: expect.any(String), retryable: false });
        expect(body.retry).toEqual({ classification: 'idempotent', upstream_execution_state: 'unknown' });
      }
      const { body } = await second.get<{ records: IdempotencyRecord[] }>('/v1/idempotency/records');
      expect(body.records).toMatchObject([
        {
          response: { ok: false, error: { code: 'INTERNAL_ERROR' } },
          replay_count: 2,
          capability_id: 's.never',
          completed_at_epoch_secs: expect.any(Number),
        },
      ]);
      expect((await second.call('s.never', { n: 2 }, { idempotency_key: body.records[0]!.key })).status).toBe(400);
      expect(upstream.received('tools/call')).toHaveLength(1);
    },
  );

  it('as a read says so as well [idempotency-crash] [idempotency-reads-and-prompts]', async () => {
    const { upstream, start, startProcess } = setUp();
    const request = { resource_id: 's.book://x/never', idempotency_key: 'k' };
    const first = await startProcess();
    const running = first.post('/v1/resources/read', request).catch(() => 'lost');
    await eventually(() => expect(upstream.received('resources/read')).toHaveLength(1));
    await first.stop('SIGKILL');
    expect(await running).toBe('lost');
    const { status, body } = await (await start()).post<Envelope>('/v1/resources/read', request);
    expect([status, body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(body.retry).toEqual({ classification: 'safe', upstream_execution_state: 'unknown' });
    expect(upstream.received('resources/read')).toHaveLength(1);
  });
});

describe('200 calls of which some have been answered when the service is killed', () => {
  it('are all run at most once, and answered ones the same again [idempotency-crash] [idempotency-deduplicates]', async () => {
    const { upstream, start, startProcess } = setUp();
    const call = (daemon: Daemon, n: number) => daemon.call('s.echo', { n }, { idempotency_key: `key ${n}` });
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    const answered = new Map<number, string>();
    const first = await startProcess();
    const lost = () => undefined; // by the kill
    const all = numbers.map((n) => call(first, n).then(({ text }) => answered.set(n, text), lost));
    await eventually(() => expect(answered.size).toBeGreaterThan(20));
    await first.stop('SIGKILL');
    await Promise.all(all);
    const second = await start();
    for (const [n, text] of answered) expect([n, (await call(second, n)).text]).toEqual([n, text]);
    await Promise.all(numbers.map((n) => call(second, n)));
    const ran = upstream.received('tools/call').map(({ params }) => JSON.stringify(params.arguments));
    expect(ran).toHaveLength(new Set(ran).size);
  });
});

describe('a call that has been answered', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'is answered the same after %s, from the disk [idempotency-crash] [idempotency-first-request] [idempotency-replay-count]',
    async (signal) => {
      const { upstream, start, startProcess } = setUp();
      const first = await startProcess();
      const success = await first.call('s.echo', {}, { idempotency_key: 'success' });
      const failure = await first.call('s.fail', {}, { idempotency_key: 'failure' });
      await first.call('s.echo', {}, { idempotency_key: 'success' });
      await first.stop(signal);
      const second = await start();
      const again = await second.call('s.echo', {}, { idempotency_key: 'success' });
      expect([again.status, again.text, again.headers['x-service-deduplicated']]).toEqual([200, success.text, 'true']);
      expect((await second.call('s.fail', {}, { idempotency_key: 'failure' })).text).toBe(failure.text);
      const found = await second.get<{ record: IdempotencyRecord }>(record.path('success'));
      expect(found.body.record).toMatchObject({ replay_count: 2, first_trace_id: success.body.trace_id });
      expect(upstream.received('tools/call')).toHaveLength(2);
    },
  );

  it('is answered the same though its server is not there any more, or not yet [idempotency-crash] [idempotency-replay]', async () => {
    const { upstream, start, options } = setUp();
    const first = await start();
    const answer = await first.call('s.echo', {}, { idempotency_key: 'k' });
    await first.stop();
    const second = await startDaemon({ mcpServers: { s: dead } }, options);
    const again = await second.call('s.echo', {}, { idempotency_key: 'k' });
    expect([again.status, again.text, upstream.received('tools/call').length]).toEqual([200, answer.text, 1]);
  });

  it('in the grace of the end of the service is kept [idempotency-crash] [idempotency-first-request]', async () => {
    const { upstream, start } = setUp();
    const first = await start();
    const running = first.call('s.slow', { ms: 700 }, { idempotency_key: 'k' });
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    await first.stop();
    const answer = await running;
    expect(answer.status).toBe(200);
    expect((await (await start()).call('s.slow', { ms: 700 }, { idempotency_key: 'k' })).text).toBe(answer.text);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });
});
