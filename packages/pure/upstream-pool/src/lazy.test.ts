// A lazy server: started when something needs it, stopped when nothing has for a while, and never in between.
import type { JsonObject, Lifecycle, ServerConfig } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import type { KnownServer } from './describe-upstream.js';
import { createManualClock } from './manual-clock.js';
import { createMemoryConnector, type MemoryServer } from './memory-connector.js';
import { createUpstreamPool } from './pool.js';
import { type PendingLogin, type ServerRequest, UpstreamFailure, type UpstreamRequest } from './session.js';
import { startDeadline } from './signals.js';
import { configOf, quietListener } from './testing/one-server.js';

const call: UpstreamRequest = { method: 'tools/call', params: { name: 'add', arguments: {} } };
const anyone = () => ({ signal: new AbortController().signal, atMs: Number.POSITIVE_INFINITY });
const hang = () => new Promise<never>(() => {});
const refuse = () => {
  throw new UpstreamFailure('cannot start', { kind: 'unreachable', sent: false });
};
const idleMs = 10_000;
const known: KnownServer = {
  counts: { tools: 3, resources: 2, prompts: 1 },
  traits: { protocolVersion: '2025-11-25', hasTasks: false },
};

function lazily(more: object = {}): ServerConfig {
  return configOf({ command: 'node', lifecycle: 'lazy', idleStopSecs: idleMs / 1000, ...more });
}

function open(server: MemoryServer = {}, definition: object = {}, isKnown = true) {
  const clock = createManualClock();
  const connector = createMemoryConnector({ s: { pid: 7, ...server } });
  const states: string[] = [];
  const pool = createUpstreamPool(
    { connector, clock },
    {
      ...quietListener,
      onState: (_id, { status }) => states.push(status),
      onServerRequest: () => answered,
    },
  );
  let answered: Promise<JsonObject> = Promise.resolve({});
  const upstream = pool.mount('s', lazily(definition), isKnown ? known : undefined);
  const control = connector.server('s');
  const seen = () => [upstream.info().status, control.connects(), control.sessions()];
  return { clock, pool, upstream, control, states, seen, answerWith: (next: Promise<JsonObject>) => (answered = next) };
}

/** Answers a call when the test says so. */
function answering() {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  return { server: { handle: () => asked.then(() => ({})) }, answer: () => answer() };
}

describe('a lazy server that is known', () => {
  it('is not started, says so, and shows what is known of it', async () => {
    const { clock, upstream, seen } = open();
    await upstream.attempted;
    await clock.advance(3_600_000);
    expect(seen()).toEqual(['idle', 0, 0]);
    expect(upstream.info()).toEqual({
      id: 's',
      transport: 'stdio',
      status: 'idle',
      protocol_version: null,
      restarts: 0,
      queued: 0,
      running: 0,
      tools: 3,
      resources: 2,
      prompts: 1,
      circuit: { state: 'closed', consecutive_failures: 0, remaining_ms: 0 },
    });
    expect([upstream.traits, clock.sleeping()]).toEqual([known.traits, 0]);
  });

  it('starts with a call, stops when nothing has used it for its time, and starts again', async () => {
    const { clock, upstream, states, seen } = open();
    expect(await upstream.send(call, anyone())).toEqual({ kind: 'answered', result: {} });
    await clock.advance(idleMs - 1);
    expect([seen(), upstream.info().pid]).toEqual([['connected', 1, 1], 7]);
    await clock.advance(1);
    expect([seen(), upstream.info().pid]).toEqual([['idle', 1, 0], undefined]);
    expect(await upstream.send(call, anyone())).toMatchObject({ kind: 'answered' });
    await clock.advance(0);
    expect(seen()).toEqual(['connected', 2, 1]);
    expect(states).toEqual(['idle', 'connecting', 'connected', 'idle', 'connecting', 'connected']);
    expect(upstream.info()).toMatchObject({ restarts: 0, circuit: { consecutive_failures: 0 } });
  });

  it('starts once for many calls at once, also for those that have to queue', async () => {
    const { clock, upstream, control } = open();
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => upstream.send(call, anyone())));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['answered']));
    expect([control.connects(), control.requests().length]).toEqual([1, 200]);
    await clock.advance(idleMs);
    expect(control.sessions()).toBe(0);
  });

  it('counts its time from the end of the last call, however long that took', async () => {
    const { server, answer } = answering();
    const { clock, upstream, seen } = open(server);
    const sent = upstream.send(call, anyone());
    await clock.advance(5 * idleMs);
    expect(seen()).toEqual(['connected', 1, 1]);
    answer();
    await sent;
    await clock.advance(idleMs - 1);
    void upstream.send(call, anyone());
    await clock.advance(idleMs - 1);
    expect(seen()).toEqual(['connected', 1, 1]);
    await clock.advance(1);
    expect(seen()).toEqual(['idle', 1, 0]);
  });

  it('serves a call that comes while it stops by a fresh session', async () => {
    const { clock, pool, control, upstream } = open();
    await upstream.send(call, anyone());
    let late: Promise<unknown> = Promise.resolve();
    const cancel = clock.after(idleMs, () => {
      late = upstream.send(call, anyone()); // in the very turn in which it is stopped
    });
    await clock.advance(idleMs);
    cancel();
    expect([await late, control.connects()]).toEqual([{ kind: 'answered', result: {} }, 2]);
    await pool.close();
    expect([control.sessions(), clock.sleeping()]).toEqual([0, 0]);
  });

  it('is asked nothing for its health while it is stopped', async () => {
    let checks = 0;
    const { clock, upstream } = open(
      {
        onHealthCheck() {
          checks += 1;
        },
      },
      { resilience: { healthCheckIntervalSecs: 4 } },
    );
    await clock.advance(idleMs);
    expect(checks).toBe(0);
    await upstream.send(call, anyone());
    await clock.advance(10 * idleMs);
    expect(checks).toBe(2);
  });

  it('is ended at once by a close, whether it is idle, starting or in use', async () => {
    const idle = open();
    await idle.pool.close();
    const starting = open({ onConnect: hang });
    const sent = starting.upstream.send(call, anyone());
    await starting.clock.advance(0);
    await starting.pool.close();
    expect(await sent).toMatchObject({ kind: 'unreachable', sent: false });
    expect([idle.clock.sleeping(), starting.clock.sleeping(), starting.control.sessions()]).toEqual([0, 0, 0]);
  });
});

describe('what keeps a lazy server', () => {
  it('is a watch, which also starts it and brings it back', async () => {
    const { clock, upstream, control, seen } = open();
    const stop = upstream.watchResource('file:///a');
    await clock.advance(5 * idleMs);
    expect([seen(), control.watched()]).toEqual([['connected', 1, 1], ['file:///a']]);
    control.drop('crashed');
    await clock.advance(0);
    expect(seen()).toEqual(['reconnecting', 1, 0]);
    await clock.advance(500);
    expect([seen(), control.watched()]).toEqual([['connected', 2, 1], ['file:///a']]);
    stop();
    stop();
    await clock.advance(idleMs);
    expect(seen()).toEqual(['idle', 2, 0]);
  });

  it('is a hold, over those that take its place as well', async () => {
    const { clock, pool, upstream, control } = open();
    const release = upstream.hold();
    await clock.advance(2 * idleMs);
    const next = pool.replace('s', lazily(), { known });
    await clock.advance(2 * idleMs);
    expect([next.info().status, control.connects()]).toEqual(['connected', 2]);
    release();
    await clock.advance(idleMs);
    expect(next.info().status).toBe('idle');
  });

  it('is a question of its own that has not been answered', async () => {
    const { clock, upstream, control, seen, answerWith } = open();
    let answer = (_: JsonObject) => {};
    answerWith(new Promise<JsonObject>((resolve) => (answer = resolve)));
    await upstream.send(call, anyone());
    const question: ServerRequest = { method: 'sampling/createMessage', params: {} };
    const asked = control.ask(question);
    await clock.advance(5 * idleMs);
    expect(seen()).toEqual(['connected', 1, 1]);
    answer({ role: 'assistant' });
    await asked;
    await clock.advance(idleMs);
    expect(seen()).toEqual(['idle', 1, 0]);
  });

  it('is a list that it says has changed, until that was read', async () => {
    let reading: Promise<void> = Promise.resolve();
    const { clock, upstream, control, seen } = open({ onDiscover: () => reading });
    await upstream.send(call, anyone());
    let isRead = () => {};
    reading = new Promise((resolve) => (isRead = resolve));
    control.change({ tools: [] });
    await clock.advance(2 * idleMs);
    expect(seen()).toEqual(['connected', 1, 1]);
    isRead();
    await clock.advance(idleMs);
    expect(seen()).toEqual(['idle', 1, 0]);
  });

  it('is a login that a person may be about to make, while its link works', async () => {
    let link: string | null = 'https://login.example';
    const login: PendingLogin = {
      isRequired: false,
      link: () => link,
      renew: () => {},
      over: hang(),
      cancel: () => {},
    };
    const { clock, upstream, seen } = open({ login: () => login });
    await upstream.send(call, anyone());
    await clock.advance(3 * idleMs);
    expect(seen()).toEqual(['connected', 1, 1]);
    link = null;
    await clock.advance(idleMs);
    expect(seen()).toEqual(['idle', 1, 0]);
  });
});

describe('a lazy server without known definitions', () => {
  it('is connected once to learn its definitions, and stops', async () => {
    const { clock, upstream, seen } = open({ definitions: { prompts: [{ name: 'p' }] } }, {}, false);
    await clock.advance(0);
    expect([seen(), upstream.info().prompts]).toEqual([['connected', 1, 1], 1]);
    await clock.advance(idleMs);
    expect([seen(), upstream.info().prompts]).toEqual([['idle', 1, 0], 1]);
    await clock.advance(100 * idleMs);
    expect(seen()).toEqual(['idle', 1, 0]);
  });

  it('does not have calls wait for it: the checks that they need are not known yet', async () => {
    const { clock, upstream } = open({ onConnect: hang }, {}, false);
    await clock.advance(0);
    const outcome = { kind: 'unreachable', reason: 'server "s" is still connecting', sent: false };
    expect(await upstream.send(call, anyone())).toEqual(outcome);
    expect(upstream.info().circuit.consecutive_failures).toBe(0);
  });

  it('is tried on the schedule until it has been learned', async () => {
    const onConnect = (attempt: number) => (attempt < 3 ? refuse() : undefined);
    const { clock, seen } = open({ onConnect }, {}, false);
    await clock.advance(500);
    expect(seen()).toEqual(['degraded', 2, 0]);
    await clock.advance(1000);
    expect(seen()).toEqual(['connected', 3, 1]);
  });
});

describe('a start that fails', () => {
  it('counts for every call that waited for it, opens the circuit, and is not repeated without a caller', async () => {
    const { clock, upstream, control, seen } = open({ onConnect: refuse }, { resilience: { failureThreshold: 3 } });
    const outcomes = await Promise.all([1, 2].map(() => upstream.send(call, anyone())));
    const reason = 'server "s" is degraded: cannot start';
    expect(outcomes).toEqual([1, 2].map(() => ({ kind: 'unreachable', reason, sent: false })));
    expect(upstream.info()).toMatchObject({ last_error: 'cannot start', circuit: { consecutive_failures: 2 } });
    await clock.advance(60_000);
    expect([seen(), upstream.info().last_error]).toEqual([['idle', 1, 0], 'cannot start']);
    expect(await upstream.send(call, anyone())).toMatchObject({ kind: 'unreachable' });
    expect(await upstream.send(call, anyone())).toMatchObject({ kind: 'circuit_open', failures: 3 });
    await clock.advance(20_000);
    expect(control.connects()).toBe(2); // a call that is refused starts nothing
  });

  it('uses up the restarts of a child, as any other does', async () => {
    const { clock, upstream, seen } = open(
      { onConnect: refuse },
      { resilience: { maxRestarts: 1, failureThreshold: 9 } },
    );
    for (const status of ['idle', 'disabled', 'disabled']) {
      await upstream.send(call, anyone());
      await clock.advance(60_000);
      expect(seen()[0]).toBe(status);
    }
    expect(seen()).toEqual(['disabled', 2, 0]);
  });

  it('does not count when the time of the call runs out first, and goes on for the next call', async () => {
    let start = () => {};
    const started = new Promise<void>((resolve) => (start = resolve));
    const { clock, upstream, seen } = open({ onConnect: () => started });
    const deadline = startDeadline(clock, 1000);
    const outcome = upstream.send(call, { signal: deadline.signal, atMs: 1000 });
    await clock.advance(1000);
    expect(await outcome).toEqual({ kind: 'aborted', sent: false, waitedFor: 'it is still starting' });
    expect(upstream.info()).toMatchObject({ status: 'connecting', circuit: { consecutive_failures: 0 }, running: 0 });
    start();
    await clock.advance(0);
    expect(seen()).toEqual(['connected', 1, 1]);
  });
});

describe('a lazy server that crashes', () => {
  it('with a call loses it, and is started by the next one after the pause', async () => {
    const { clock, upstream, control, seen } = open({ handle: ({ params }) => (params.name === 'add' ? hang() : {}) });
    const lost = upstream.send(call, anyone());
    await clock.advance(0);
    control.drop('the process was ended by SIGKILL');
    expect(await lost).toEqual({ kind: 'unreachable', reason: 'the process was ended by SIGKILL', sent: true });
    await clock.advance(0);
    expect([seen(), upstream.info().last_error]).toEqual([['reconnecting', 1, 0], 'the process was ended by SIGKILL']);
    await clock.advance(60_000);
    expect(seen()).toEqual(['idle', 1, 0]);
    expect(await upstream.send({ ...call, params: { name: 'sub' } }, anyone())).toMatchObject({ kind: 'answered' });
  });

  it('while nothing uses it is not started again', async () => {
    const { clock, upstream, control, seen } = open();
    await upstream.send(call, anyone());
    control.drop('crashed');
    await clock.advance(3_600_000);
    expect([seen(), upstream.info().restarts]).toEqual([['idle', 1, 0], 0]);
  });
});

describe('a lifecycle that changes', () => {
  const lazy = (idleStopSecs: number): Lifecycle => ({ kind: 'lazy', idleStopSecs });

  it('starts an idle server that is eager now, and keeps it', async () => {
    const { clock, upstream, seen } = open();
    upstream.setLifecycle({ kind: 'eager' });
    await clock.advance(100 * idleMs);
    expect(seen()).toEqual(['connected', 1, 1]);
  });

  it('stops an eager server that is lazy now after its time, and not before', async () => {
    const { clock, upstream, seen } = open({}, { lifecycle: 'eager', idleStopSecs: null });
    await clock.advance(idleMs);
    upstream.setLifecycle(lazy(60));
    await clock.advance(59_999);
    expect(seen()).toEqual(['connected', 1, 1]);
    await clock.advance(1);
    expect(seen()).toEqual(['idle', 1, 0]);
  });

  it('gives a running server another time', async () => {
    const { clock, upstream, seen } = open();
    await upstream.send(call, anyone());
    upstream.setLifecycle(lazy(30));
    await clock.advance(29_999);
    expect(seen()).toEqual(['connected', 1, 1]);
    await clock.advance(1);
    expect(seen()).toEqual(['idle', 1, 0]);
  });
});

it('a restart starts an idle server, which then stops as always', async () => {
  const { clock, pool, control } = open();
  const next = pool.replace('s', lazily(), { known, isWanted: true });
  await next.attempted;
  expect([next.info().status, control.connects()]).toEqual(['connected', 1]);
  await clock.advance(idleMs);
  expect([next.info().status, control.sessions()]).toEqual(['idle', 0]);
});
