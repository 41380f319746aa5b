// The way of a request: through circuit, queue and session, and what of it counts against the server.
import type { JsonObject } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { createManualClock } from './manual-clock.js';
import { createMemoryConnector, type MemoryServer } from './memory-connector.js';
import { createUpstreamPool } from './pool.js';
import { maxInFlight } from './sender.js';
import {
  type ServerRequest,
  type ServerRequestHandler,
  Unasked,
  UpstreamFailure,
  type UpstreamRequest,
  Withheld,
} from './session.js';
import { startDeadline } from './signals.js';
import { configOf, quietListener } from './testing/one-server.js';

const resilience = { failureThreshold: 2, cooldownMs: 1000, consecutiveSuccesses: 1 };
const call: UpstreamRequest = { method: 'tools/call', params: { name: 'add', arguments: {} } };
const question: ServerRequest = { method: 'elicitation/create', params: {} };
const hang = () => new Promise<never>(() => {});

/** No time limit but the signal's. */
const until = (signal: AbortSignal) => ({ signal, atMs: Number.POSITIVE_INFINITY });
const anyone = () => new AbortController().signal;

function mount(server: MemoryServer, definition: object = { command: 'node', resilience }) {
  const clock = createManualClock();
  const connector = createMemoryConnector({ s: server });
  const pool = createUpstreamPool({ connector, clock }, quietListener);
  return { clock, pool, upstream: pool.mount('s', configOf(definition)), control: connector.server('s') };
}

async function connected(handle: MemoryServer['handle']) {
  const mounted = mount(handle === undefined ? {} : { handle });
  await mounted.clock.advance(0);
  return mounted;
}

function rejectWith(code: number, message: string) {
  return () => {
    throw new UpstreamFailure(message, { kind: 'rejected', error: { code, message } });
  };
}

function unreachable(sent: boolean) {
  return () => {
    throw new UpstreamFailure('socket closed', { kind: 'unreachable', sent });
  };
}

describe('a request that its session holds back', () => {
  const handler: ServerRequestHandler = { capabilities: {}, onServerRequest: async () => ({}) };

  it('leaves its place to others until it is sent', async () => {
    const held: (() => void)[] = [];
    const { clock, upstream } = await connected(async ({ params }, _signal, own) => {
      if (params.name !== 'ask') return {};
      const onTaken = own?.onHeld?.();
      await new Promise<void>((resolve) => held.push(resolve));
      onTaken?.();
      return {};
    });
    const ask = { ...call, params: { name: 'ask' } };
    const asking = Array.from({ length: maxInFlight }, () => upstream.send(ask, until(anyone()), handler));
    await clock.advance(0);
    expect(await upstream.send(call, until(anyone()))).toEqual({ kind: 'answered', result: {} });
    for (const go of held) go();
    for (const outcome of await Promise.all(asking)) expect(outcome.kind).toBe('answered');
  });

  it('is not counted against a server that had less than its full time after', async () => {
    const { clock, upstream } = await connected((_request, _signal, own) => {
      own?.onHeld?.()();
      return hang();
    });
    const outcome = upstream.send(call, startDeadline(clock, 100), handler);
    await clock.advance(100);
    expect(await outcome).toEqual({ kind: 'aborted', sent: true });
    expect(upstream.info().circuit.consecutive_failures).toBe(0);
  });
});

describe('send', () => {
  it('gives the result as the server gave it', async () => {
    const { upstream, control } = await connected(() => ({ content: [], constructor: 'kept' }));
    expect(await upstream.send(call, until(anyone()))).toEqual({
      kind: 'answered',
      result: { content: [], constructor: 'kept' },
    });
    expect(control.requests()).toEqual([call]);
  });

  it('gives a JSON-RPC error as the answer it is, and counts the server as alive', async () => {
    const { upstream } = await connected(rejectWith(-32602, 'no such argument'));
    for (let i = 0; i < 5; i++) {
      expect(await upstream.send(call, until(anyone()))).toEqual({
        kind: 'rejected',
        error: { code: -32602, message: 'no such argument' },
      });
    }
    expect(upstream.info().circuit).toEqual({ state: 'closed', consecutive_failures: 0, remaining_ms: 0 });
  });

  it('counts nothing against a server whose question could reach no caller', async () => {
    const { upstream } = await connected(() => Promise.reject(new Unasked('of two calls', true)));
    const outcome = { kind: 'unasked', reason: 'of two calls' };
    for (let i = 0; i < 5; i++) expect(await upstream.send(call, until(anyone()))).toEqual(outcome);
    expect(upstream.info().circuit).toEqual({ state: 'closed', consecutive_failures: 0, remaining_ms: 0 });
  });

  it('does not send a request that its session had to hold until it must not be sent any more', async () => {
    const { upstream } = await connected(() => Promise.reject(new Withheld('a rule denies it now')));
    expect(await upstream.send(call, until(anyone()))).toEqual({ kind: 'withheld', reason: 'a rule denies it now' });
  });

  it.each([true, false])('says of a lost connection whether the request had left (%s)', async (sent) => {
    const { upstream } = await connected(unreachable(sent));
    expect(await upstream.send(call, until(anyone()))).toEqual({ kind: 'unreachable', reason: 'socket closed', sent });
    expect(upstream.info().circuit.consecutive_failures).toBe(1);
  });

  it('is unreachable, not sent and not counted while a server without known definitions connects', async () => {
    const { upstream, control } = mount({ onConnect: hang });
    const outcome = { kind: 'unreachable', reason: 'server "s" is still connecting', sent: false };
    for (let i = 0; i < 5; i++) expect(await upstream.send(call, until(anyone()))).toEqual(outcome);
    expect(upstream.info().circuit).toEqual({ state: 'closed', consecutive_failures: 0, remaining_ms: 0 });
    expect(control.requests()).toEqual([]);
  });

  it('is unreachable with the reason and counted while the server is away', async () => {
    const { clock, upstream, control } = await connected(undefined);
    control.drop('child exited with code 1');
    await clock.advance(0);
    expect(await upstream.send(call, until(anyone()))).toEqual({
      kind: 'unreachable',
      reason: 'server "s" is reconnecting: child exited with code 1',
      sent: false,
    });
    expect(upstream.info().circuit.consecutive_failures).toBe(1);
  });

  it('loses a request on the way when the child dies, as one that was sent', async () => {
    const { clock, upstream, control } = await connected(hang);
    const outcome = upstream.send(call, until(anyone()));
    await clock.advance(0);
    control.drop('child exited with code 9');
    expect(await outcome).toEqual({ kind: 'unreachable', reason: 'child exited with code 9', sent: true });
  });

  it('contacts nothing while the circuit is open, and says when it may', async () => {
    const { clock, upstream, control } = await connected(unreachable(true));
    for (let i = 0; i < 2; i++) await upstream.send(call, until(anyone()));
    await clock.advance(300);
    expect(await upstream.send(call, until(anyone()))).toEqual({ kind: 'circuit_open', failures: 2, remainingMs: 700 });
    expect(control.requests()).toHaveLength(2);
    expect(upstream.info().circuit).toEqual({ state: 'open', consecutive_failures: 2, remaining_ms: 700 });
  });

  it('closes the circuit again after a probe that was answered', async () => {
    const health = { isWell: false };
    const { clock, upstream } = await connected(() => (health.isWell ? {} : unreachable(true)()));
    for (let i = 0; i < 2; i++) await upstream.send(call, until(anyone()));
    health.isWell = true;
    await clock.advance(1000);
    expect(upstream.info().circuit.state).toBe('half_open');
    expect(await upstream.send(call, until(anyone()))).toEqual({ kind: 'answered', result: {} });
    expect(upstream.info().circuit).toEqual({ state: 'closed', consecutive_failures: 0, remaining_ms: 0 });
  });

  it('sends no probe that a caller has given up already', async () => {
    const { clock, upstream, control } = await connected(unreachable(true));
    for (let i = 0; i < 2; i++) await upstream.send(call, until(anyone()));
    await clock.advance(1000);
    expect(await upstream.send(call, until(AbortSignal.abort()))).toEqual({ kind: 'aborted', sent: false });
    expect(control.requests()).toHaveLength(2);
    expect(upstream.info().circuit.state).toBe('half_open');
  });

  it('frees the slot of a probe whose caller cancels it', async () => {
    const handling = { by: unreachable(true) as () => Promise<JsonObject> | JsonObject };
    const { clock, upstream } = await connected(() => handling.by());
    for (let i = 0; i < 2; i++) await upstream.send(call, until(anyone()));
    await clock.advance(1000);
    handling.by = hang;
    const caller = new AbortController();
    const probe = upstream.send(call, until(caller.signal));
    expect(await upstream.send(call, until(anyone()))).toEqual({ kind: 'circuit_open', failures: 2, remainingMs: 0 });
    caller.abort();
    expect(await probe).toEqual({ kind: 'aborted', sent: true });
    handling.by = () => ({});
    expect(await upstream.send(call, until(anyone()))).toEqual({ kind: 'answered', result: {} });
  });

  it('counts a request that ran into its deadline, and cancels it at the server', async () => {
    const { clock, upstream, control } = await connected(hang);
    const deadline = startDeadline(clock, 100);
    const outcome = upstream.send(call, deadline);
    await clock.advance(100);
    expect(await outcome).toEqual({ kind: 'aborted', sent: true });
    expect(control.cancels()).toEqual([call]);
    expect(upstream.info().circuit.consecutive_failures).toBe(1);
  });

  it('does not count a request that its caller cancelled, and cancels it at the server', async () => {
    const { clock, upstream, control } = await connected(hang);
    const caller = new AbortController();
    const outcome = upstream.send(call, until(caller.signal));
    await clock.advance(0);
    caller.abort();
    expect(await outcome).toEqual({ kind: 'aborted', sent: true });
    expect(control.cancels()).toEqual([call]);
    expect(upstream.info().circuit.consecutive_failures).toBe(0);
  });

  it('has 64 calls in flight and lets the rest wait; a deadline in the queue sends and counts nothing', async () => {
    const { clock, upstream, control } = await connected(hang);
    for (let i = 0; i < maxInFlight; i++) void upstream.send(call, until(anyone()));
    const deadline = startDeadline(clock, 100);
    const queued = upstream.send(call, deadline);
    await clock.advance(100);
    expect(await queued).toEqual({ kind: 'aborted', sent: false });
    expect(control.requests()).toHaveLength(64);
    expect(upstream.info().circuit.consecutive_failures).toBe(0);
  });

  it('lends the permits of calls whose server waits for their callers', async () => {
    const { clock, upstream, control } = await connected(async ({ params }, signal, handler) =>
      params.name === 'ask' ? ((await handler?.onServerRequest(question, signal)) ?? {}) : {},
    );
    const ask: UpstreamRequest = { method: 'tools/call', params: { name: 'ask' } };
    let answer: (answer: JsonObject) => void = () => {};
    const answered = new Promise<JsonObject>((resolve) => (answer = resolve));
    const handler: ServerRequestHandler = { capabilities: {}, onServerRequest: () => answered };
    const asked = Array.from({ length: maxInFlight + 1 }, () => upstream.send(ask, until(anyone()), handler));
    await clock.advance(0);
    expect(control.requests()).toHaveLength(maxInFlight + 1);
    expect(upstream.info()).toMatchObject({ running: 0, queued: 0 });
    expect((await upstream.send(call, until(anyone()))).kind).toBe('answered');
    answer({ done: true });
    expect(await Promise.all(asked)).toEqual(Array(maxInFlight + 1).fill({ kind: 'answered', result: { done: true } }));
    expect(upstream.info()).toMatchObject({ running: 0, queued: 0 });
  });

  it('counts a server as alive that asks before it fails, and not by what it asks after the end', async () => {
    const failure = unreachable(true);
    let askLater = async (): Promise<unknown> => undefined;
    const handle: { by: NonNullable<MemoryServer['handle']> } = { by: failure };
    const { upstream } = await connected((...request) => handle.by(...request));
    const handler: ServerRequestHandler = { capabilities: {}, onServerRequest: async () => ({}) };
    const send = () => upstream.send(call, until(anyone()), handler);
    const failures = () => upstream.info().circuit.consecutive_failures;
    await send();
    expect(failures()).toBe(1);
    handle.by = async (_request, signal, own) => {
      await own?.onServerRequest(question, signal);
      return failure();
    };
    await send();
    expect(failures()).toBe(0);
    handle.by = (_request, signal, own) => {
      askLater = async () => own?.onServerRequest(question, signal);
      return {};
    };
    await send();
    handle.by = failure;
    await send();
    await askLater();
    expect(failures()).toBe(1);
  });

  it('does not send a queued call that has no time left for an answer, nor count its time-out', async () => {
    const { clock, upstream, control } = await connected(hang);
    const first = Array.from({ length: maxInFlight }, () => upstream.send(call, startDeadline(clock, 100)));
    await clock.advance(5);
    const queued = upstream.send(call, startDeadline(clock, 100));
    await clock.advance(100);
    expect((await Promise.all(first)).every(({ kind }) => kind === 'aborted')).toBe(true);
    expect(await queued).toEqual({ kind: 'aborted', sent: false });
    expect(control.requests()).toHaveLength(maxInFlight);
  });

  it('does not blame the server for a call that waited for most of its time', async () => {
    const { clock, upstream } = await connected(hang);
    const deadlines = Array.from({ length: maxInFlight }, () => startDeadline(clock, 1000));
    const first = deadlines.map((deadline) => upstream.send(call, deadline));
    await clock.advance(500);
    const queued = upstream.send(call, startDeadline(clock, 1000));
    for (const deadline of deadlines) deadline.abort(new Error('cancelled'));
    await clock.advance(1000);
    await Promise.all(first);
    expect(await queued).toEqual({ kind: 'aborted', sent: true });
    expect(upstream.info().circuit.consecutive_failures).toBe(0);
  });

  it('runs calls to one server side by side: a slow one does not hold a fast one up', async () => {
    const { clock, upstream } = await connected(({ params }) => (params.name === 'slow' ? hang() : {}));
    void upstream.send({ method: 'tools/call', params: { name: 'slow' } }, until(anyone()));
    await clock.advance(0);
    expect(await upstream.send(call, until(anyone()))).toEqual({ kind: 'answered', result: {} });
  });

  it('lets a defect of the connector through and frees its permit', async () => {
    const { upstream } = await connected(() => {
      throw new RangeError('a defect');
    });
    for (let i = 0; i < maxInFlight + 1; i++) {
      await expect(upstream.send(call, until(anyone()))).rejects.toThrow('a defect');
    }
    expect(upstream.info().circuit.consecutive_failures).toBe(0);
  });

  it('ends the requests on the way when it is closed', async () => {
    const { clock, pool, upstream } = await connected(hang);
    const outcome = upstream.send(call, until(anyone()));
    await clock.advance(0);
    await pool.close();
    expect(await outcome).toEqual({ kind: 'unreachable', reason: 'the connection was closed', sent: true });
    expect(await upstream.send(call, until(anyone()))).toMatchObject({ kind: 'unreachable', sent: false });
  });
});

describe('startDeadline', () => {
  it('aborts with a reason that says how long it waited', async () => {
    const { clock } = mount({});
    const deadline = startDeadline(clock, 50);
    await clock.advance(50);
    expect(deadline.signal.reason).toMatchObject({ name: 'DeadlinePassed', timeoutMs: 50 });
  });

  it('passes the reason of its parent on, also of one that was aborted before', () => {
    const { clock } = mount({});
    const parent = new AbortController();
    const deadline = startDeadline(clock, 50, parent.signal);
    parent.abort('cancelled');
    expect(deadline.signal.reason).toBe('cancelled');
    expect(startDeadline(clock, 50, parent.signal).signal.reason).toBe('cancelled');
  });

  it('leaves no timer and does not abort once it was stopped', async () => {
    const clock = createManualClock();
    const parent = new AbortController();
    const deadline = startDeadline(clock, 50, parent.signal);
    deadline.stop();
    parent.abort();
    await clock.advance(100);
    expect([deadline.signal.aborted, clock.sleeping()]).toEqual([false, 0]);
  });
});
