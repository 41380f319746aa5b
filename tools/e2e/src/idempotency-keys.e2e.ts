// The keys, those that a client need not send, and how their records are looked up.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import type { Envelope, IdempotencyRecord } from './support/wire.js';

interface Records {
  readonly ok: boolean;
  readonly records: readonly IdempotencyRecord[];
  readonly limit: number;
  readonly offset: number;
}

const now = () => Math.floor(Date.now() / 1000);

async function start(): Promise<{ daemon: Daemon; upstream: Scripted }> {
  const upstream = scripted({
    tools: [tool('echo'), tool('other')],
    resources: [{ uri: 'book://one', name: 'one' }],
    prompts: [{ name: 'greet' }],
  });
  const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
  await daemon.connected();
  return { daemon, upstream };
}

const list = (daemon: Daemon, query = '') => daemon.get<Records>(`/v1/idempotency/records${query}`);
const keysOf = async (daemon: Daemon) => (await list(daemon)).body.records.map(({ key }) => key);

let shared: { readonly daemon: Daemon; readonly upstream: Scripted };

beforeAll(async () => {
  shared = await start();
});

describe('a derived key', () => {
  const request = { capability_id: 's.echo', args: { a: { x: 1, y: 2 }, b: [] }, request_id: 'r' };
  const derived = expect.stringMatching(/^idk_[0-9a-f]{64}$/);

  it('is in force when the client gave a request id, in the body or the header, and no key [idempotency-derived-key-when] [idempotency-derived-key]', async () => {
    const { daemon, upstream } = await start();
    const { request_id, ...rest } = request;
    const first = await daemon.post('/v1/tools/call', request);
    const second = await daemon.post('/v1/tools/call', rest, { 'x-request-id': 'r' });
    expect([first, second].map(({ headers }) => headers['x-service-deduplicated'])).toEqual([undefined, 'true']);
    expect([await keysOf(daemon), upstream.received('tools/call').length]).toEqual([[derived], 1]);
    await daemon.post('/v1/tools/call', { ...request, idempotency_key: 'own' });
    expect(new Set(await keysOf(daemon))).toEqual(new Set(['own', derived]));
  });

  it('is not there without a request id: every call runs, and nothing is recorded [idempotency-derived-key-when]', async () => {
    const { daemon, upstream } = await start();
    for (const request_id of [undefined, null]) {
      const answer = await daemon.post('/v1/tools/call', { ...request, request_id, context: { actor_id: 'me' } });
      expect([answer.status, answer.headers['x-service-deduplicated']]).toEqual([200, undefined]);
    }
    expect([await keysOf(daemon), upstream.received('tools/call').length]).toEqual([[], 2]);
  });

  it('does not depend on whitespace or key order at any depth, nor on anything but its four parts [idempotency-derived-key-canonical] [idempotency-derived-key]', async () => {
    const { daemon, upstream } = await start();
    await daemon.post('/v1/tools/call', request);
    await daemon.post(
      '/v1/tools/call',
      '{"request_id":"r", "args":{"b":[ ],"a":{"y":2,\n"x":1}},"capability_id":"s.echo"}',
    );
    await daemon.post('/v1/tools/call', {
      ...request,
      context: { operation_id: 'o', work_item_id: 'w', grant_id: 'g' },
    });
    expect([await keysOf(daemon), upstream.received('tools/call').length]).toEqual([[derived], 1]);
  });

  it('is another for another capability, argument, actor or request id [idempotency-derived-key]', async () => {
    const { daemon, upstream } = await start();
    const requests = [
      request,
      { ...request, capability_id: 's.other' },
      { ...request, args: { a: { x: 1, y: 3 }, b: [] } },
      { ...request, context: { actor_id: 'me' } },
      { ...request, context: { actor_id: 'you' } },
      { ...request, request_id: 'r2' },
    ];
    for (const one of requests) expect((await daemon.post('/v1/tools/call', one)).status).toBe(200);
    const byHeader = await daemon.post('/v1/tools/call', request, { 'x-actor-id': 'you' });
    expect(byHeader.headers['x-service-deduplicated']).toBe('true');
    const keys = await keysOf(daemon);
    expect([new Set(keys).size, keys]).toEqual([requests.length, requests.map(() => derived)]);
    expect(upstream.received('tools/call')).toHaveLength(requests.length);
  });

  it('serves reads and prompts as well [idempotency-derived-key-when] [idempotency-reads-and-prompts]', async () => {
    const { daemon, upstream } = await start();
    for (let count = 0; count < 2; count += 1) {
      await daemon.post('/v1/resources/read', { resource_id: 's.book://one', request_id: 'r' });
      await daemon.post('/v1/prompts/get', { prompt_id: 's.greet', request_id: 'r' });
    }
    expect([upstream.received('resources/read').length, upstream.received('prompts/get').length]).toEqual([1, 1]);
    expect(await keysOf(daemon)).toEqual([derived, derived]);
  });
});

describe('a record', () => {
  it('says what was answered, when, and how often since [idempotency-record-fields] [idempotency-record-optional] [overview-epoch-seconds] [idempotency-get-route] [idempotency-completion-time]', async () => {
    const { daemon } = await start();
    const before = now();
    const { body } = await daemon.call('s.echo', { n: 1 }, { idempotency_key: 'k' });
    await daemon.call('s.echo', { n: 1 }, { idempotency_key: 'k' });
    const found = await daemon.get<{ record: IdempotencyRecord }>('/v1/idempotency/records/k');
    expect([found.status, found.body]).toEqual([
      200,
      {
        ok: true,
        record: {
          key: 'k',
          response: body,
          created_at_epoch_secs: expect.any(Number),
          completed_at_epoch_secs: expect.any(Number),
          replay_count: 1,
          capability_id: 's.echo',
          first_trace_id: body.trace_id,
        },
      },
    ]);
    const { created_at_epoch_secs: created, completed_at_epoch_secs: completed } = found.body.record;
    expect([created, completed]).toEqual([Math.floor(created), Math.floor(completed ?? Number.NaN)]);
    expect(created).toBeGreaterThanOrEqual(before);
    expect(completed).toBeGreaterThanOrEqual(created);
    expect(completed).toBeLessThanOrEqual(now());
  });

  it.each(['a/b', '/', 'a b', 'ключ 🗝', '100%', 'a%2Fb', '?q=1#f', 'a+b', 'records', '{"k":1}', 'x'.repeat(1024)])(
    'is found by its key: %j [idempotency-get-route]',
    async (key) => {
      const { daemon } = shared;
      const { body } = await daemon.call('s.echo', { key }, { idempotency_key: key });
      const path = `/v1/idempotency/records/${encodeURIComponent(key)}`;
      const found = await daemon.get<{ record: IdempotencyRecord }>(path);
      expect([found.status, found.body.record]).toMatchObject([200, { key, response: body }]);
    },
  );

  it('that is not there is answered 404 [idempotency-get-404] [error-404-idempotency-record]', async () => {
    const { status, body } = await shared.daemon.get<Envelope>('/v1/idempotency/records/no%20such%2Fkey');
    expect([status, body.ok, body.error]).toEqual([
      404,
      false,
      { code: 'RESOURCE_NOT_FOUND', message: expect.stringContaining('no such/key'), retryable: false },
    ]);
  });

  it.each([
    ['1025 characters', { idempotency_key: 'x'.repeat(1025) }, {}],
    ['a header of 1025 characters', {}, { 'idempotency-key': 'x'.repeat(1025) }],
    ['no string', { idempotency_key: 7 }, {}],
  ])('has a key of 1 to 1024 characters, not %s [idempotency-key-limits]', async (_, field, headers) => {
    const before = shared.upstream.received('tools/call').length;
    const request = { capability_id: 's.echo', args: {}, ...field };
    const { status, body } = await shared.daemon.post<Envelope>('/v1/tools/call', request, headers);
    expect([status, body.error.code]).toEqual([400, 'INVALID_ARGS']);
    expect(body.error.message).toMatch(/idempotency.key/i);
    expect(shared.upstream.received('tools/call')).toHaveLength(before);
  });

  it.each([
    ['a field', { idempotency_key: '' }, {}],
    ['a header', {}, { 'idempotency-key': '' }],
    ['a request id', { request_id: '' }, {}],
    ['the header of a request id', {}, { 'x-request-id': '' }],
  ])('does not count if empty in %s: equal calls run each time [idempotency-key-limits]', async (_, field, headers) => {
    const before = shared.upstream.received('tools/call').length;
    const request = { capability_id: 's.echo', args: {}, ...field };
    for (let call = 0; call < 2; call += 1) {
      const reply = await shared.daemon.post<Envelope>('/v1/tools/call', request, headers);
      expect([reply.status, reply.body.request_id, reply.headers['x-service-deduplicated']]).toEqual([
        200,
        null,
        undefined,
      ]);
    }
    expect(shared.upstream.received('tools/call')).toHaveLength(before + 2);
  });
});

describe('the list of records', () => {
  it('comes 50 at a time unless asked otherwise, each record once [idempotency-list-route] [idempotency-list-defaults]', async () => {
    const { daemon } = await start();
    expect((await list(daemon)).body).toEqual({ ok: true, records: [], limit: 50, offset: 0 });
    const keys = Array.from({ length: 52 }, (_, n) => `key ${n}`);
    await Promise.all(keys.map((key) => daemon.call('s.echo', {}, { idempotency_key: key })));
    const first = await list(daemon);
    expect(first).toMatchObject({ status: 200, body: { ok: true, limit: 50, offset: 0 } });
    expect(first.body.records).toHaveLength(50);
    const rest = (await list(daemon, '?offset=50')).body;
    expect(rest).toMatchObject({ limit: 50, offset: 50 });
    expect(new Set([...first.body.records, ...rest.records].map(({ key }) => key))).toEqual(new Set(keys));
    const page = (await list(daemon, '?limit=2&offset=3')).body;
    expect(page).toEqual({ ok: true, records: first.body.records.slice(3, 5), limit: 2, offset: 3 });
    expect((await list(daemon, '?offset=1000')).body.records).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1.5',
    'limit=',
    'limit=99999999999',
    'offset=-1',
    'offset=x',
    'offset=1e3',
  ])('refuses ?%s [idempotency-list-defaults]', async (query) => {
    const { daemon } = shared;
    const { status, body } = await daemon.get<Envelope>(`/v1/idempotency/records?${query}`);
    expect([status, body.error.code]).toEqual([400, 'INVALID_ARGS']);
    expect(body.error.message).toContain(query.split('=')[0]);
  });
});
