// The wire log of a plane: what is kept of messages, of whom, and what is only counted.
import type { JsonObject, WireFrame } from '@portico/contracts';
import type { FrameChannel } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../call/call.js';
import { call, caller, configOf, planted, start, traceId } from '../testing/start-inspector.js';

describe('messages', () => {
  it('are kept with what they are about: methods, durations and traces of answers, progress and cancellations', async () => {
    const { sent, received, list, clock } = start();
    sent(call(7));
    received({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 7, progress: 1 } });
    received({ jsonrpc: '2.0', id: 'q1', method: 'roots/list' }, 7);
    await clock.advance(20);
    sent({ jsonrpc: '2.0', id: 'q1', result: {} });
    received({ jsonrpc: '2.0', id: '7', error: { code: 1, message: 'no' } });
    sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    const common = { server_id: 's', trace_id: traceId };
    expect((await list()).toReversed()).toMatchObject([
      { ...common, id: 'frm-aaaaaaaa-1', direction: 'sent', kind: 'request', method: 'tools/call', rpc_id: '7' },
      { ...common, direction: 'received', kind: 'notification', method: 'notifications/progress' },
      { ...common, direction: 'received', kind: 'request', method: 'roots/list', rpc_id: '"q1"' },
      { ...common, direction: 'sent', kind: 'response', method: 'roots/list', duration_us: 20_000 },
      { ...common, direction: 'received', kind: 'response', method: 'tools/call', is_error: true, duration_us: 20_000 },
      { direction: 'sent', kind: 'notification', method: 'notifications/cancelled' },
    ]);
  });

  it('keep no secret: by the name of its member, in a text, in JSON in a text, and by its value', async () => {
    const { sent, received, list, inspector } = start();
    sent(call(1, { password: 'hunter2hunter2', note: 'password: hunter2hunter2', [planted]: planted }));
    received({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '{"password":"hunter2hunter2"}' }] } });
    received({ jsonrpc: '2.0', id: `Bearer ${planted}`, method: `x password=hunter2hunter2` });
    const shown = JSON.stringify([await list(), inspector.trace(traceId, undefined)]);
    expect(shown).not.toContain('hunter2');
    expect(shown).not.toContain(planted);
    expect(shown).toContain('REDACTED');
  });

  it.each([
    [{ 'token=INNAME': 1, 'password: INNAME': { deep: 2 } }],
    [{ url: 'https://u:INNAME@host/path', text: 'see ssh://INNAME@host and "https://a:b@INNAME@host"' }],
    [{ 'https://u:INNAME@host': [] }],
  ])('keep no secret in names and addresses: %j', async (args) => {
    for (const bodies of ['redacted', 'shape']) {
      const { sent, list } = start({ bodies }, { redactKeys: ['password', 'token'] });
      sent(call(1, args));
      const [{ body } = {}] = await list();
      expect(body).not.toContain('INNAME');
      expect(body).toMatch(bodies === 'redacted' ? /REDACTED/ : /arguments/);
    }
  });

  it('are redacted by the rules of their time and by those in force when they are kept', async () => {
    const { sent, list, setPolicy } = start();
    sent(call(1, { password: 'first-secret', pin: 'second-secret' }));
    setPolicy({ redactKeys: ['pin'] });
    const shown = JSON.stringify(await list());
    expect(shown).not.toMatch(/first-secret|second-secret/);
  });

  it('keep numbers unchanged, and no more of a long message than fits', async () => {
    const { tap, channel, list } = start({ maxBodyKb: 1 });
    const exact = '{"jsonrpc":"2.0","id":1,"result":{"n":1098765432109876543,"z":1.0}}';
    tap.recorder?.received(channel, [{ id: 1, result: {} }], exact, null);
    const long = `{"jsonrpc":"2.0","id":2,"result":{"a":"${'é'.repeat(5000)}"}}`;
    tap.recorder?.received(channel, [{ id: 2, result: {} }], long, null);
    const [cut, whole] = await list();
    expect(whole).toMatchObject({ body: exact, bytes: exact.length });
    expect(cut).toMatchObject({ bytes: long.length + 5000, body_truncated: true });
    expect(JSON.parse(cut?.body ?? '')).toEqual({ jsonrpc: '2.0', id: 2, result: { a: '[cut]' } });
  });

  it('are shapes, or nothing, where that is asked for', async () => {
    const shape = start({ bodies: 'shape' });
    shape.sent(call(1, { path: 'a/b', list: [1, 2, 3, 4], none: null }));
    const [frame] = await shape.list();
    expect(JSON.parse(frame?.body ?? '').params.arguments).toEqual({
      path: 'text(3)',
      list: ['number', 'number', 'number', 'and 1 more'],
      none: null,
    });
    const off = start({ bodies: 'off' });
    off.sent(call(1));
    const [bare = {}] = await off.list();
    expect(bare).toMatchObject({ method: 'tools/call', bytes: JSON.stringify(call(1)).length });
    expect(bare).not.toHaveProperty('body');
  });

  it('are found by server, method, direction, trace, time and number', async () => {
    const { sent, received, list, inspector } = start();
    sent(call(1));
    received({ jsonrpc: '2.0', id: 1, result: {} });
    sent({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect(await list({ method: 'ping' })).toHaveLength(1);
    expect(await list({ direction: 'received' })).toHaveLength(1);
    expect(await list({ traceId })).toHaveLength(2);
    expect(await list({ server: 'other' })).toHaveLength(0);
    expect(await list({ sinceMs: Number.MAX_SAFE_INTEGER })).toHaveLength(0);
    expect(inspector.list({ limit: 1 })).toMatchObject({ complete: false, frames: [{ method: 'ping' }] });
  });
});

describe('what is not kept', () => {
  it('is counted where it comes faster than it is redacted', async () => {
    const { sent, list, inspector } = start();
    const text = 'x'.repeat(1_000_000);
    for (let id = 1; id <= 12; id += 1) sent(call(id, { text }));
    expect(await list()).toHaveLength(7);
    expect(inspector.counts()).toMatchObject({ frames: 7, dropped: 5 });
  });

  it('is counted where it gave way, and memory has its bound', async () => {
    const { sent, list, inspector, clock } = start({ maxMb: 1, maxBodyKb: 1024 });
    for (let id = 1; id <= 40; id += 1) {
      sent(call(id, { text: 'x'.repeat(100_000) }));
      await clock.advance(0);
    }
    const { frames = 0, bytes = 0, evicted, max_bytes } = inspector.counts() ?? {};
    expect(bytes).toBeLessThanOrEqual(max_bytes ?? 0);
    expect([frames + (evicted ?? 0), max_bytes]).toEqual([40, 1024 * 1024]);
    expect((await list())[0]?.rpc_id).toBe('40');
  });
});

describe('the recording', () => {
  it('ends and begins with the configuration, and is empty then', async () => {
    const { inspector, tap, inspecting, sent, list } = start();
    const delivered: string[] = [];
    inspector.follow({
      frames: () => delivered.push('frames'),
      missed: () => {},
      ended: () => delivered.push('ended'),
    });
    sent(call(1));
    inspector.configure(configOf({ enabled: false }));
    expect([tap.recorder, inspecting.owners, inspector.counts()]).toEqual([undefined, undefined, undefined]);
    expect(() => inspector.list({ limit: 1 })).toThrow(/inspect\.enabled/);
    inspector.configure(configOf({}));
    expect(await list()).toEqual([]);
    expect(delivered).toEqual(['ended']);
  });

  it('keeps what it has when its room or what is kept changes', async () => {
    const { inspector, sent, list } = start();
    sent(call(1));
    await list();
    inspector.configure(configOf({ bodies: 'off', maxMb: 1 }));
    sent(call(2));
    expect((await list()).map(({ body }) => body !== undefined)).toEqual([false, true]);
  });

  it('is followed from an id on in portions on demand, by a filter, and reports dropped messages', async () => {
    const { inspector, sent, clock } = start({ maxMb: 1, maxBodyKb: 1024 });
    const send = async (id: number, method: string, length: number) => {
      sent({ id, method, params: { text: 'x'.repeat(length) } });
      await clock.advance(0);
    };
    for (let id = 1; id <= 20; id += 1) await send(id, id % 2 === 0 ? 'even' : 'odd', 100_000);
    const { evicted = 0 } = inspector.counts() ?? {};
    const delivered: unknown[] = [];
    const listener = {
      frames: (given: readonly WireFrame[]) => delivered.push(given.map(({ rpc_id }) => Number(rpc_id))),
      missed: (count: number) => delivered.push(`missed ${count}`),
      ended: () => {},
    };
    const following = inspector.follow(listener, { lastId: 'frm-aaaaaaaa-1' });
    const after = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);
    expect(delivered).toEqual([`missed ${evicted - 1}`, after(evicted + 1, 3)]);
    await send(21, 'odd', 10); // behind what is still to come
    delivered.length = 0;
    for (let asked = 0; asked < 10; asked += 1) following.more();
    expect(delivered.flat()).toEqual(after(evicted + 4, 21 - evicted - 3));
    await send(22, 'even', 10);
    expect(delivered.at(-1)).toEqual([22]);
    following.stop();
    delivered.length = 0;
    inspector.follow(listener, { lastId: 'frm-aaaaaaaa-17', filter: { method: 'odd' } });
    expect(delivered).toEqual([[19, 21]]);
  });
});

describe('a server that writes more than others', () => {
  it('pushes out its own messages first, of those that wait and of those that are kept', async () => {
    const { tap, sent, received, list, inspector } = start({ maxMb: 1 });
    const noisy: FrameChannel = { server: 'noisy', tap };
    const flood = (count: number, length: number) => {
      const text = JSON.stringify({ method: 'x'.repeat(10), params: { text: 'x'.repeat(length) } });
      for (let at = 0; at < count; at += 1) tap.recorder?.received(noisy, [{ method: 'noise' }], text, null);
    };
    flood(12, 1_000_000);
    sent(call(1)); // the queue is full
    flood(12, 1_000_000);
    received({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await list({ server: 's' })).toHaveLength(2);
    for (let round = 0; round < 40; round += 1) {
      flood(20, 20_000);
      await list();
    }
    expect(inspector.counts()?.evicted).toBeGreaterThan(100);
    expect(await list({ server: 's' })).toHaveLength(2);
  });
});

it('an answer about a trace has a bound for small messages, and keeps the newest', async () => {
  const { sent, inspector, list } = start({ bodies: 'off' });
  const count = 5_010;
  for (let id = 1; id <= count; id += 1) sent(call(id));
  while ((inspector.counts()?.frames ?? 0) < count) await list();
  const { frames, complete } = inspector.trace(traceId, undefined);
  expect([frames.length, complete, frames[0]?.rpc_id, frames.at(-1)?.rpc_id]).toEqual([5_000, false, '11', '5010']);
  expect(inspector.ofTrace(traceId, undefined)).toBe(count);
});

describe('who is no admin', () => {
  it('sees the requests, answers and progress of their own calls, and nothing of others in the same trace', async () => {
    const { inspecting, inspector, sent, received, clock } = start();
    const other = { ...call(2), params: { _meta: { traceparent: `00-${traceId}-${'34'.repeat(8)}-01` } } };
    inspecting.owners?.add(call(1).params as JsonObject, caller('ada'));
    inspecting.owners?.add(other.params, caller('eve'));
    sent(call(1));
    sent(other);
    received({ jsonrpc: '2.0', id: 9, method: 'sampling/createMessage' }, 1);
    received({ jsonrpc: '2.0', id: 1, result: {} });
    received({ jsonrpc: '2.0', id: 2, result: { of: 'eve' } });
    await clock.advance(0);
    const seen = (who: Caller | undefined) => inspector.trace(traceId, who).frames.map(({ rpc_id }) => rpc_id);
    expect(seen(undefined)).toEqual(['1', '2', '9', '1', '2']);
    expect(seen(caller('ada'))).toEqual(['1', '1']);
    expect(seen(caller('ada', 'other'))).toEqual([]);
    expect(seen(caller('mallory'))).toEqual([]);
    expect(inspector.ofTrace(traceId, caller('eve'))).toBe(2);
  });
});
