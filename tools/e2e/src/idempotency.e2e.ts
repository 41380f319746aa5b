// One execution for each idempotency key: what a repeat gets, while the first runs and afterwards.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from './support/client.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Batch, Envelope, IdempotencyRecord } from './support/wire.js';

const dedupeHeader = (answer: Reply) => answer.headers['x-service-deduplicated'];

describe('an idempotency key', () => {
  let upstream: Scripted;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = scripted({
      tools: [
        tool('echo'),
        tool('slow'),
        tool('held'),
        tool('never'),
        tool('look', { annotations: { readOnlyHint: true } }),
      ],
      resources: [{ uri: 'book://one', name: 'one' }],
      prompts: [{ name: 'greet' }],
    });
    daemon = await startDaemon({ mcpServers: { s: upstream.server }, capabilityAliases: { say: 's.echo' } });
    await daemon.connected();
  });

  const body = (args: object, id = 's.echo') => ({ capability_id: id, args });
  const call = (key: string, args: object, id?: string) =>
    daemon.post<Envelope>('/v1/tools/call', { ...body(args, id), idempotency_key: key });
  const record = async (key: string) =>
    (await daemon.get<{ record: IdempotencyRecord }>(`/v1/idempotency/records/${encodeURIComponent(key)}`)).body.record;
  /** Calls that reached the upstream with this mark in their arguments. */
  const contacts = (mark: string) =>
    upstream.received('tools/call').filter(({ params }) => JSON.stringify(params.arguments).includes(mark)).length;

  it('runs the call once; a repeat gets the same answer, marked as one [idempotency-deduplicates] [idempotency-first-request] [idempotency-replay] [idempotency-replay-header]', async () => {
    const first = await call('twice', { mark: 'twice' });
    const second = await call('twice', { mark: 'twice' });
    expect([first.status, dedupeHeader(first)]).toEqual([200, undefined]);
    expect([second.status, dedupeHeader(second)]).toEqual([200, 'true']);
    expect(second.text).toBe(first.text);
    expect(contacts('twice')).toBe(1);
  });

  it('is taken from the header first, then from the body [idempotency-key-sources]', async () => {
    const send = (mark: string, header?: string, field?: string) =>
      daemon.post<Envelope>(
        '/v1/tools/call',
        { ...body({ mark }), ...(field === undefined ? {} : { idempotency_key: field }) },
        header === undefined ? {} : { 'Idempotency-Key': header },
      );
    await send('by-header', 'source-header');
    await send('by-field', undefined, 'source-field');
    await send('by-both', 'source-both', 'source-ignored');
    expect(dedupeHeader(await send('by-header', undefined, 'source-header'))).toBe('true');
    expect(dedupeHeader(await send('by-field', 'source-field'))).toBe('true');
    expect(dedupeHeader(await send('by-both', 'source-both'))).toBe('true');
    expect(await record('source-ignored')).toBeUndefined();
    expect(['by-header', 'by-field', 'by-both'].map(contacts)).toEqual([1, 1, 1]);
  });

  it('lets one of 100 concurrent duplicates through, and gives each of them the same answer [idempotency-in-flight-joins] [idempotency-deduplicates]', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => call('crowd', { ms: 300, mark: 'crowd' }, 's.slow')),
    );
    expect(contacts('crowd')).toBe(1);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(answers.filter((answer) => dedupeHeader(answer) === undefined)).toHaveLength(1);
    expect(answers.filter((answer) => dedupeHeader(answer) === 'true')).toHaveLength(99);
  });

  it('joins a duplicate to the call that runs, which has a record without a completion time [idempotency-in-flight-joins] [idempotency-completion-time]', async () => {
    const first = call('joined', { by: 'joined' }, 's.held');
    await eventually(() => expect(contacts('joined')).toBe(1));
    expect((await record('joined')).completed_at_epoch_secs ?? null).toBeNull();
    const second = call('joined', { by: 'joined' }, 's.held');
    expect((await call('not joined', {})).status).toBe(200); // which comes after the second, and needs no end of the first
    upstream.release('joined');
    const [one, two] = await Promise.all([first, second]);
    expect([dedupeHeader(one), dedupeHeader(two)]).toEqual([undefined, 'true']);
    expect(two.text).toBe(one.text);
    expect((await record('joined')).completed_at_epoch_secs).toEqual(expect.any(Number));
  });

  it('counts its replays [idempotency-replay-count]', async () => {
    await call('counted', {});
    expect((await record('counted')).replay_count).toBe(0);
    for (let count = 1; count <= 3; count += 1) {
      await call('counted', {});
      expect((await record('counted')).replay_count).toBe(count);
    }
    await Promise.all(Array.from({ length: 20 }, () => call('counted', {})));
    expect((await record('counted')).replay_count).toBe(23);
  });

  it.each([
    ['other arguments', { n: 2 }, 's.echo'],
    ['another capability', { n: 1 }, 's.look'],
  ])('is refused for %s, and nothing is sent [idempotency-key-reused]', async (what, args, id) => {
    const key = `reuse for ${what}`;
    const first = await call(key, { n: 1 });
    const before = upstream.received('tools/call').length;
    const { status, headers, body: refusal } = await call(key, args, id);
    expect([status, refusal.error.code, headers['x-service-deduplicated']]).toEqual([400, 'INVALID_ARGS', undefined]);
    expect(refusal.error.message).toContain(key);
    expect(refusal.retry).toEqual({ classification: 'safe', upstream_execution_state: 'not_started' });
    expect(upstream.received('tools/call')).toHaveLength(before);
    expect((await call(key, { n: 1 })).text).toBe(first.text);
  });

  it('is refused for other arguments while its call runs, too [idempotency-key-reused]', async () => {
    const running = call('busy', { by: 'busy' }, 's.held');
    await eventually(() => expect(contacts('busy')).toBe(1));
    expect((await call('busy', { by: 'busy', more: 1 }, 's.held')).status).toBe(400);
    upstream.release('busy');
    expect((await running).status).toBe(200);
    expect(contacts('busy')).toBe(1);
  });

  it('takes an alias and its canonical id for one capability [idempotency-deduplicates]', async () => {
    const first = await call('aliased', { mark: 'aliased' }, 'say');
    const second = await call('aliased', { mark: 'aliased' }, 's.echo');
    expect([second.text, dedupeHeader(second), contacts('aliased')]).toEqual([first.text, 'true', 1]);
    expect((await record('aliased')).capability_id).toBe('s.echo');
  });

  it('takes arguments that differ in key order and whitespace for the same [idempotency-deduplicates]', async () => {
    const key = { 'idempotency-key': 'ordered' };
    await daemon.post(
      '/v1/tools/call',
      '{"capability_id":"s.echo","args":{"a":{"x":1,"y":[1,2]},"mark":"ordered"}}',
      key,
    );
    const other = '{ "args": {"mark":"ordered", "a":\n{"y":[1, 2],"x":1.0} }, "capability_id":"s.echo" }';
    expect(dedupeHeader(await daemon.post('/v1/tools/call', other, key))).toBe('true');
    expect(contacts('ordered')).toBe(1);
    const swapped = '{"capability_id":"s.echo","args":{"a":{"x":1,"y":[2,1]},"mark":"ordered"}}';
    expect((await daemon.post('/v1/tools/call', swapped, key)).status).toBe(400);
  });

  it.each([
    ['read', '/v1/resources/read', 'resources/read', { resource_id: 's.book://one' }],
    ['prompt get', '/v1/prompts/get', 'prompts/get', { prompt_id: 's.greet', arguments: {} }],
  ])('is honoured by a %s, which stays safe [idempotency-reads-and-prompts]', async (what, path, method, request) => {
    const send = (key: string) => daemon.post<Envelope>(path, request, { 'idempotency-key': key });
    const first = await send(`key of a ${what}`);
    const second = await send(`key of a ${what}`);
    expect([first.status, dedupeHeader(first), dedupeHeader(second)]).toEqual([200, undefined, 'true']);
    expect(second.text).toBe(first.text);
    expect(first.body.retry).toEqual({ classification: 'safe', upstream_execution_state: 'completed' });
    expect(upstream.received(method)).toHaveLength(1);
    expect((await call(`key of a ${what}`, {})).status).toBe(400);
  });

  it('makes a call idempotent, and leaves a read-only one safe [retry-idempotency-key]', async () => {
    const answers = [await call('class-1', {}), await call('class-2', {}, 's.look'), await daemon.call('s.echo')];
    expect(answers.map((answer) => answer.body.retry.classification)).toEqual(['idempotent', 'safe', 'unsafe']);
  });

  it('lets the call go on when its client goes away, for a repeat [idempotency-disconnect]', async () => {
    const client = new AbortController();
    const gone = daemon
      .post('/v1/tools/call', { ...body({ by: 'gone' }, 's.held'), idempotency_key: 'gone' }, {}, client.signal)
      .catch((error: Error) => error.name);
    await eventually(() => expect(contacts('gone')).toBe(1));
    client.abort();
    expect(await gone).toBe('AbortError');
    expect((await record('gone')).completed_at_epoch_secs ?? null).toBeNull();
    upstream.release('gone');
    await eventually(async () => expect((await record('gone')).completed_at_epoch_secs).toEqual(expect.any(Number)));
    const again = await call('gone', { by: 'gone' }, 's.held');
    expect([again.status, dedupeHeader(again), contacts('gone')]).toEqual([200, 'true', 1]);
    expect(upstream.received('notifications/cancelled')).toEqual([]);
  });

  it('lets a call outlive its client: without one the upstream gets a cancel [idempotency-disconnect]', async () => {
    const stopped = scripted({ tools: [tool('never')] });
    const own = await startDaemon({ mcpServers: { s: stopped.server } });
    await own.connected();
    const client = new AbortController();
    const gone = own.post('/v1/tools/call', body({}, 's.never'), {}, client.signal).catch((error: Error) => error.name);
    const call = await eventually(() => {
      const [received] = stopped.received('tools/call');
      expect(received).toBeDefined();
      return received;
    });
    client.abort();
    expect(await gone).toBe('AbortError');
    await eventually(() =>
      expect(stopped.received('notifications/cancelled').map(({ params }) => params.requestId)).toEqual([call?.id]),
    );
  });

  describe('of a batch', () => {
    const batch = (steps: readonly object[], rest: object, headers = {}) =>
      daemon.post<Batch>('/v1/tools/batch_call', { steps, ...rest }, headers);

    it('is derived for each step: a repeat replays, identical steps both run [idempotency-batches]', async () => {
      const step = { capability_id: 's.echo', args: { mark: 'in-a-batch' } };
      const steps = [
        { id: 'one', ...step },
        { id: 'two', ...step },
      ];
      const first = await batch(steps, { request_id: 'batch-1' });
      expect([first.body.ok, contacts('in-a-batch')]).toEqual([true, 2]);
      const again = await batch(steps, { request_id: 'batch-1' });
      expect([again.body.ok, contacts('in-a-batch')]).toEqual([true, 2]);
      expect(again.body.results.map(({ data }) => data)).toEqual(first.body.results.map(({ data }) => data));
      await batch(steps, { request_id: 'batch-2' });
      await batch(steps, {});
      expect(contacts('in-a-batch')).toBe(6);
    });
  });
});
