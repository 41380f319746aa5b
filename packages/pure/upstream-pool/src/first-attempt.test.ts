// Calls to a server that is kept connected, from before its first attempt to connect is over.
import { describe, expect, it } from 'vitest';
import type { KnownServer } from './describe-upstream.js';
import { createManualClock } from './manual-clock.js';
import { createMemoryConnector, type MemoryServer } from './memory-connector.js';
import { createUpstreamPool } from './pool.js';
import { type PendingLogin, UpstreamFailure, type UpstreamRequest } from './session.js';
import { startDeadline } from './signals.js';
import { configOf, quietListener } from './testing/one-server.js';

const call: UpstreamRequest = { method: 'tools/call', params: { name: 'add', arguments: {} } };
const anyone = () => ({ signal: new AbortController().signal, atMs: Number.POSITIVE_INFINITY });
const hang = () => new Promise<never>(() => {});
const known: KnownServer = {
  counts: { tools: 3, resources: 2, prompts: 1 },
  traits: { protocolVersion: '2025-11-25', hasTasks: false },
};
const answered = { kind: 'answered', result: {} };
const refused = (reason: string) => ({ kind: 'unreachable', reason: `server "s" is ${reason}`, sent: false });
const cannotStart = new UpstreamFailure('cannot start', { kind: 'unreachable', sent: false });

function promised() {
  let resolve = () => {};
  let reject = (_error: Error) => {};
  const promise = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve: () => resolve(), reject: (error: Error) => reject(error) };
}

/** A server whose every attempt to connect goes on until the test ends the first one. */
function open({ isKnown = true, server = {}, definition = {} }: Opening = {}) {
  const { promise, resolve: connect, reject: fail } = promised();
  const clock = createManualClock();
  const onConnect = (attempt: number) => (attempt === 1 ? promise : hang());
  const connector = createMemoryConnector({ s: { onConnect, ...server } });
  const pool = createUpstreamPool({ connector, clock }, quietListener);
  const upstream = pool.mount('s', configOf({ command: 'node', ...definition }), isKnown ? known : undefined);
  const failures = () => upstream.info().circuit.consecutive_failures;
  return { clock, pool, upstream, control: connector.server('s'), connect, fail, failures };
}

interface Opening {
  readonly isKnown?: boolean;
  readonly server?: MemoryServer;
  readonly definition?: object;
}

/** The results of calls: undefined while they run. */
function watched<T>(...promises: Promise<T>[]): (T | undefined)[] {
  const seen: (T | undefined)[] = promises.map(() => undefined);
  promises.forEach((promise, at) => {
    void promise.then((value) => {
      seen[at] = value;
    });
  });
  return seen;
}

describe('a call to a server that is known, on its first attempt', () => {
  it('waits, holds a permit, and is sent once it is connected', async () => {
    const { clock, upstream, control, connect, failures } = open();
    const outcomes = watched(upstream.send(call, anyone()));
    await clock.advance(50_000);
    expect([outcomes, control.requests(), upstream.info()]).toMatchObject([
      ...[[undefined], [], { status: 'connecting', running: 1, queued: 0 }],
    ]);
    connect();
    await clock.advance(0);
    expect([outcomes, control.requests(), control.connects(), failures()]).toEqual([[answered], [call], 1, 0]);
  });

  it('is one of many that wait for the same attempt, also of those that have to queue', async () => {
    const { clock, upstream, control, connect } = open();
    const sent = Array.from({ length: 200 }, () => upstream.send(call, anyone()));
    await clock.advance(0);
    expect(upstream.info()).toMatchObject({ running: 64, queued: 136 });
    connect();
    expect(new Set((await Promise.all(sent)).map(({ kind }) => kind))).toEqual(new Set(['answered']));
    expect([control.connects(), control.requests().length]).toEqual([1, 200]);
  });

  it('is refused with the reason when the attempt fails, which counts for each, and so is every call from then on', async () => {
    const { clock, upstream, control, fail, failures } = open({ definition: { resilience: { failureThreshold: 9 } } });
    const outcomes = watched(upstream.send(call, anyone()), upstream.send(call, anyone()));
    await clock.advance(0);
    expect(outcomes).toEqual([undefined, undefined]);
    fail(cannotStart);
    await clock.advance(0);
    const degraded = refused('degraded: cannot start');
    expect([outcomes, failures()]).toEqual([[degraded, degraded], 2]);
    expect(await upstream.send(call, anyone())).toEqual(degraded);
    await clock.advance(500);
    expect(control.connects()).toBe(2);
    expect(await upstream.send(call, anyone())).toEqual(degraded); // the second attempt is under way
    expect([upstream.info(), control.requests()]).toMatchObject([{ running: 0, queued: 0 }, []]);
  });

  it('is refused with the reason when that was the only attempt', async () => {
    const { clock, upstream, fail } = open({ definition: { resilience: { autoRestart: false } } });
    const outcomes = watched(upstream.send(call, anyone()));
    await clock.advance(0);
    fail(cannotStart);
    await clock.advance(0);
    expect(outcomes).toEqual([{ ...refused('disabled: cannot start; autoRestart is off'), isDisabled: true }]);
    expect(await upstream.send(call, anyone())).toEqual(outcomes[0]);
  });

  it('receives the login that is needed, which does not count', async () => {
    const login: PendingLogin = {
      ...{ isRequired: true, link: () => 'https://a.test', renew() {}, over: hang(), cancel() {} },
    };
    const { clock, upstream, fail, failures } = open();
    const outcomes = watched(upstream.send(call, anyone()));
    await clock.advance(0);
    fail(new UpstreamFailure('waits for a login', { kind: 'unreachable', sent: false, login }));
    await clock.advance(0);
    expect([outcomes, failures()]).toEqual([[{ ...refused('degraded: waits for a login'), login }], 0]);
  });

  it('waits no longer than it may, which does not count, and the attempt goes on for the next', async () => {
    const { clock, upstream, control, connect, failures } = open();
    const deadline = startDeadline(clock, 1000);
    const late = watched(upstream.send(call, { signal: deadline.signal, atMs: 1000 }));
    await clock.advance(999);
    expect(late).toEqual([undefined]);
    await clock.advance(1);
    expect(late).toEqual([{ kind: 'aborted', sent: false, waitedFor: 'it is still starting' }]);
    expect([upstream.info(), failures()]).toMatchObject([{ status: 'connecting', running: 0 }, 0]);
    const next = upstream.send(call, anyone());
    connect();
    expect([await next, control.connects(), control.requests()]).toEqual([answered, 1, [call]]);
  });

  it('is not sent when it is connected too late for an answer', async () => {
    const { clock, upstream, control, connect, failures } = open();
    const deadline = startDeadline(clock, 1000);
    const late = watched(upstream.send(call, { signal: deadline.signal, atMs: 1000 }));
    await clock.advance(995);
    connect();
    await clock.advance(5);
    expect([late, control.requests(), failures()]).toEqual([[{ kind: 'aborted', sent: false }], [], 0]);
  });

  it('is ended by a cancel', async () => {
    const { clock, upstream, control, connect } = open();
    const cancel = new AbortController();
    const sent = upstream.send(call, { signal: cancel.signal, atMs: Number.POSITIVE_INFINITY });
    await clock.advance(0);
    cancel.abort();
    expect([await sent, upstream.info().running]).toEqual([{ kind: 'aborted', sent: false }, 0]);
    connect();
    await clock.advance(0);
    expect([upstream.info().status, control.requests()]).toEqual(['connected', []]);
  });

  it('is ended by a close, which leaves nothing behind', async () => {
    const { clock, pool, upstream, control } = open();
    const sent = upstream.send(call, anyone());
    await clock.advance(0);
    await pool.close();
    expect([await sent, control.sessions(), clock.sleeping()]).toEqual([refused('being stopped'), 0, 0]);
  });
});

describe('a call is refused at once', () => {
  it('by a server without known definitions, and waits once its lists were read', async () => {
    const { promise, resolve: read } = promised();
    const { clock, upstream, connect, failures } = open({ isKnown: false, server: { onDiscover: () => promise } });
    const connecting = refused('still connecting');
    expect(await upstream.send(call, anyone())).toEqual(connecting);
    connect();
    await clock.advance(0);
    expect(await upstream.send(call, anyone())).toEqual(connecting);
    read();
    await clock.advance(0);
    expect([await upstream.send(call, anyone()), failures()]).toEqual([answered, 0]);
  });

  it('while a server that was lost is connected again', async () => {
    const { clock, upstream, control, connect } = open();
    connect();
    await clock.advance(0);
    control.drop('crashed');
    await clock.advance(500);
    expect(control.connects()).toBe(2);
    expect(await upstream.send(call, anyone())).toEqual(refused('reconnecting: crashed'));
  });
});

it('a call to one that replaces another waits until that has ended and it is connected itself', async () => {
  let answer = () => {};
  const handle = ({ params }: UpstreamRequest) =>
    params.name === 'slow' ? new Promise<object>((resolve) => (answer = () => resolve({}))) : {};
  const { clock, pool, upstream, control } = open({ server: { handle, onConnect: () => {} } });
  await clock.advance(0);
  const running = upstream.send({ ...call, params: { name: 'slow' } }, anyone());
  await clock.advance(0);
  const next = pool.replace('s', configOf({ command: 'node', args: ['x'] }), { graceMs: 5000, known });
  const outcomes = watched(next.send(call, anyone()));
  await clock.advance(4999);
  expect([outcomes, control.connects()]).toEqual([[undefined], 1]);
  answer();
  await clock.advance(0);
  expect([await running, outcomes, control.connects(), control.sessions()]).toEqual([answered, [answered], 2, 1]);
});

it('a call that waits for a lazy server goes on waiting when that is eager from now on', async () => {
  const { clock, upstream, connect } = open({ definition: { lifecycle: 'lazy', idleStopSecs: 1 } });
  const outcomes = watched(upstream.send(call, anyone()));
  await clock.advance(0);
  upstream.setLifecycle({ kind: 'eager' });
  const next = watched(upstream.send(call, anyone()));
  await clock.advance(5000);
  expect([...outcomes, ...next]).toEqual([undefined, undefined]);
  connect();
  await clock.advance(0);
  expect([...outcomes, ...next]).toEqual([answered, answered]);
});
