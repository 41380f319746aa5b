// Servers that come, go and give way to others while calls run at them.
import { describe, expect, it } from 'vitest';
import { createManualClock } from './manual-clock.js';
import { createMemoryConnector, type MemoryServer } from './memory-connector.js';
import { createUpstreamPool } from './pool.js';
import type { UpstreamRequest } from './session.js';
import { configOf, quietListener } from './testing/one-server.js';

const call: UpstreamRequest = { method: 'tools/call', params: { name: 'add', arguments: {} } };
const deadline = () => ({ signal: new AbortController().signal, atMs: Number.POSITIVE_INFINITY });
const child = { command: 'node' };
const hang = () => new Promise<never>(() => {});

async function open(server: MemoryServer = {}) {
  const clock = createManualClock();
  const connector = createMemoryConnector({ s: server });
  const received: string[] = [];
  const pool = createUpstreamPool(
    { connector, clock },
    {
      ...quietListener,
      onState: (_id, { status }) => received.push(status),
      onDefinitions: (_id, { tools }) => received.push(`${tools.length} tools`),
    },
  );
  const upstream = pool.mount('s', configOf(child));
  await clock.advance(0);
  return { clock, pool, upstream, received, control: connector.server('s') };
}

/** Whether a promise has settled, as it says by itself. */
function watched(promise: Promise<unknown>) {
  const seen = { isOver: false };
  void promise.then(() => {
    seen.isOver = true;
  });
  return seen;
}

/** A server whose calls end when the test says so. */
function answering() {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  return { server: { handle: () => asked.then(() => ({ content: [] })) }, answer: () => answer() };
}

describe('unmount', () => {
  it('ends a server at once by itself', async () => {
    const { pool, clock, control, upstream } = await open({ handle: hang });
    const sent = upstream.send(call, deadline());
    await clock.advance(0);
    expect(await pool.unmount('s')).toBe(true);
    expect([control.sessions(), (await sent).kind, pool.get('s')]).toEqual([0, 'unreachable', undefined]);
    expect(await pool.unmount('s')).toBe(false);
  });

  it('waits for running calls, takes no others, and is over with the last', async () => {
    const { server, answer } = answering();
    const { pool, clock, control, upstream } = await open(server);
    const sent = upstream.send(call, deadline());
    await clock.advance(0);
    const gone = watched(pool.unmount('s', 5000));
    await clock.advance(4999);
    expect([gone.isOver, control.sessions()]).toEqual([false, 1]);
    expect(await upstream.send(call, deadline())).toMatchObject({ kind: 'unreachable', sent: false });
    answer();
    await clock.advance(0);
    expect([gone.isOver, control.sessions(), (await sent).kind, clock.sleeping()]).toEqual([true, 0, 'answered', 0]);
  });

  it('waits no longer than it may', async () => {
    const { pool, clock, control, upstream } = await open({ handle: hang });
    const sent = upstream.send(call, deadline());
    await clock.advance(0);
    const gone = watched(pool.unmount('s', 5000));
    await clock.advance(5000);
    expect([gone.isOver, control.sessions(), (await sent).kind]).toEqual([true, 0, 'unreachable']);
  });

  it('has one of the same id wait until it is over', async () => {
    const { server, answer } = answering();
    const { pool, clock, control, upstream } = await open(server);
    void upstream.send(call, deadline());
    await clock.advance(0);
    void pool.unmount('s', 5000);
    pool.mount('s', configOf(child));
    await clock.advance(1000);
    expect([control.connects(), control.sessions()]).toEqual([1, 1]);
    answer();
    await clock.advance(0);
    expect([control.connects(), control.sessions(), pool.get('s')?.info().status]).toEqual([2, 1, 'connected']);
  });

  it('reports nothing of a server that is on its way out, and does not bring it back', async () => {
    const { pool, clock, control, upstream, received } = await open({ handle: hang });
    void upstream.send(call, deadline());
    await clock.advance(0);
    const before = received.length;
    const gone = watched(pool.unmount('s', 5000));
    control.change({ tools: [{ name: 'late', inputSchema: { type: 'object' } }] });
    await clock.advance(1000);
    control.drop('killed');
    await clock.advance(60_000);
    expect([gone.isOver, received.slice(before), control.connects()]).toEqual([true, [], 1]);
  });
});

describe('replace', () => {
  it('connects the new one when the old one has ended', async () => {
    const { server, answer } = answering();
    const { pool, clock, control, upstream } = await open(server);
    const sent = upstream.send(call, deadline());
    await clock.advance(0);
    const next = pool.replace('s', configOf({ command: 'deno' }), { graceMs: 5000 });
    await clock.advance(1000);
    expect([pool.get('s'), next.info().status, control.connects()]).toEqual([next, 'connecting', 1]);
    answer();
    await clock.advance(0);
    expect([(await sent).kind, next.info().status, control.connects(), control.sessions()]).toEqual([
      ...['answered', 'connected', 2, 1],
    ]);
  });

  it('never has two sessions, however often it is asked for', async () => {
    const { pool, clock, control } = await open({ handle: hang });
    void pool.get('s')?.send(call, deadline());
    await clock.advance(0);
    const replaced = ['a', 'b', 'c'].map((command) => pool.replace('s', configOf({ command }), { graceMs: 5000 }));
    const attempts = replaced.map(({ attempted }) => watched(attempted));
    await clock.advance(4999);
    expect([control.connects(), control.sessions()]).toEqual([1, 1]);
    await clock.advance(1);
    expect([control.connects(), control.sessions(), pool.list()]).toEqual([2, 1, [replaced[2]]]);
    expect(attempts.map(({ isOver }) => isOver)).toEqual([true, true, true]);
  });

  it('gives up one that is still connecting', async () => {
    let isSlow = true;
    const { pool, clock, control } = await open({ onConnect: () => (isSlow ? hang() : undefined) });
    isSlow = false;
    const next = pool.replace('s', configOf({ command: 'deno' }), { graceMs: 5000 });
    await clock.advance(0);
    expect([next.info().status, control.connects(), control.sessions()]).toEqual(['connected', 2, 1]);
  });

  it('gives a call whose server waits for a person its time to end', async () => {
    let reply = (_answer: object) => {};
    const { pool, clock, control, upstream } = await open({
      handle: async (_request, signal, handler) =>
        (await handler?.onServerRequest({ method: 'elicitation/create', params: {} }, signal)) ?? {},
    });
    const sent = upstream.send(call, deadline(), {
      capabilities: {},
      onServerRequest: () => new Promise((resolve) => (reply = resolve as typeof reply)),
    });
    await clock.advance(0);
    const next = pool.replace('s', configOf({ command: 'deno' }), { graceMs: 5000 });
    await clock.advance(4999);
    expect([next.info().status, control.connects()]).toEqual(['connecting', 1]);
    reply({ action: 'accept' });
    await clock.advance(0);
    expect(await sent).toEqual({ kind: 'answered', result: { action: 'accept' } });
    expect([next.info().status, control.connects(), control.sessions()]).toEqual(['connected', 2, 1]);
  });

  it('hands on what is watched, and its end', async () => {
    const { pool, clock, control, upstream } = await open();
    const stop = upstream.watchResource('file:///a');
    const other = upstream.watchResource('file:///b');
    await clock.advance(0);
    pool.replace('s', configOf({ command: 'deno' }));
    await clock.advance(0);
    expect([control.connects(), control.watched()]).toEqual([2, ['file:///a', 'file:///b']]);
    stop();
    await clock.advance(0);
    expect(control.watched()).toEqual(['file:///b']);
    const again = pool.get('s')?.watchResource('file:///b');
    other();
    await clock.advance(0);
    expect(control.watched()).toEqual(['file:///b']);
    again?.();
    await clock.advance(0);
    expect(control.watched()).toEqual([]);
  });

  it('passes the watched resources on to a server that is mounted again', async () => {
    const { pool, clock, control, upstream } = await open();
    const stop = upstream.watchResource('file:///a');
    await pool.unmount('s');
    pool.mount('s', configOf(child));
    await clock.advance(0);
    expect(control.watched()).toEqual(['file:///a']);
    stop();
    await clock.advance(0);
    expect(control.watched()).toEqual([]);
  });

  it('mounts a server that is not there', async () => {
    const { pool, clock } = await open();
    await pool.unmount('s');
    const next = pool.replace('s', configOf(child));
    await clock.advance(0);
    expect([next.info().status, pool.list()]).toEqual(['connected', [next]]);
  });
});

describe('close', () => {
  it('waits for those that are on their way out, and for those that wait for them', async () => {
    const { pool, clock, control } = await open({ handle: hang });
    void pool.get('s')?.send(call, deadline());
    await clock.advance(0);
    pool.replace('s', configOf({ command: 'deno' }), { graceMs: 5000 });
    const closed = watched(pool.close());
    await clock.advance(4999);
    expect(closed.isOver).toBe(false);
    await clock.advance(1);
    expect([closed.isOver, control.sessions(), control.connects(), pool.list()]).toEqual([true, 0, 1, []]);
  });
});
