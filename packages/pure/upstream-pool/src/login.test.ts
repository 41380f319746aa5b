// A server that waits for a person to log in: not tried on the schedule, not counted as down, connected right after.
import { describe, expect, it } from 'vitest';
import { createManualClock } from './manual-clock.js';
import { createMemoryConnector, type MemoryServer } from './memory-connector.js';
import { createUpstreamPool } from './pool.js';
import { type PendingLogin, UpstreamFailure, type UpstreamRequest } from './session.js';
import { configOf, quietListener } from './testing/one-server.js';
import type { Upstream } from './upstream.js';

const link = 'https://as.test/authorize?state=1';
const call: UpstreamRequest = { method: 'tools/call', params: { name: 'add', arguments: {} } };
const deadline = { signal: new AbortController().signal, atMs: Number.POSITIVE_INFINITY };

/** A login that a test ends, or whose time it lets run out. */
function createLogin(isRequired = true) {
  let end: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const state = { isExpired: false, isCancelled: false };
  const login: PendingLogin = {
    isRequired,
    over,
    link: () => (state.isExpired ? null : link),
    renew() {
      if (state.isExpired) end();
    },
    cancel() {
      state.isCancelled = true;
    },
  };
  return { login, state, end: () => end() };
}

const waitFor = (login: PendingLogin) => () => {
  throw new UpstreamFailure(`waits for a login: open ${link}`, { kind: 'unreachable', sent: false, login });
};

const child = { command: 'node', resilience: { maxRestarts: 0 } };

function mount(server: MemoryServer, definition: object = child) {
  const clock = createManualClock();
  const connector = createMemoryConnector({ s: server });
  const pool = createUpstreamPool({ connector, clock }, quietListener);
  return { clock, pool, upstream: pool.mount('s', configOf(definition)), control: connector.server('s') };
}

describe('a server that waits for a login', () => {
  it('is degraded with the link while it takes, and uses up no restart', async () => {
    const { login } = createLogin();
    const { clock, upstream, control } = mount({ onConnect: waitFor(login) });
    await clock.advance(3_600_000);
    expect(control.connects()).toBe(1);
    expect(upstream.info()).toMatchObject({
      status: 'degraded',
      restarts: 0,
      last_error: `waits for a login: open ${link}`,
      login_url: link,
    });
  });

  it('is connected as soon as the login is over', async () => {
    const { login, end } = createLogin();
    const { clock, upstream } = mount({ onConnect: (attempt) => (attempt === 1 ? waitFor(login)() : undefined) });
    await clock.advance(0);
    end();
    await clock.advance(0);
    expect(upstream.info()).toMatchObject({ status: 'connected', restarts: 0 });
    expect(upstream.info()).not.toHaveProperty('login_url');
  });

  it('waits just the same when its lists need the login', async () => {
    const { login } = createLogin();
    const { clock, upstream } = mount({ onDiscover: waitFor(login) });
    await clock.advance(60_000);
    expect(upstream.info()).toMatchObject({ status: 'degraded', restarts: 0, login_url: link });
  });

  it.each([
    [true, 'degraded', link],
    [false, 'reconnecting', undefined],
  ])('waits when a session ends that says a login is required (%s)', async (isRequired, status, login_url) => {
    const { login } = createLogin(isRequired);
    const { clock, upstream, control } = mount({ login: () => login }, { url: 'http://127.0.0.1:1/mcp' });
    await clock.advance(0);
    control.drop('the server wants a login');
    await clock.advance(0);
    const { last_error, ...info } = upstream.info();
    expect([info.status, last_error, info.login_url]).toEqual([status, 'the server wants a login', login_url]);
  });

  it('is unreachable with the link for calls, which say nothing about its circuit', async () => {
    const { login } = createLogin();
    const { clock, upstream } = mount({ onConnect: waitFor(login) });
    await clock.advance(0);
    for (let n = 0; n < 5; n += 1) {
      expect(await upstream.send(call, deadline)).toEqual({
        kind: 'unreachable',
        reason: `server "s" is degraded: waits for a login: open ${link}`,
        sent: false,
        login,
      });
    }
    expect(upstream.info().circuit).toEqual({ state: 'closed', consecutive_failures: 0, remaining_ms: 0 });
  });

  it.each<[string, (upstream: Upstream) => unknown]>([
    ['wants the link', (upstream) => upstream.renewLogin()],
    ['calls', (upstream) => upstream.send(call, deadline)],
  ])(
    'is tried again when a person %s after the time ran out, and shows no dead link in between',
    async (_what, ask) => {
      const { login, state } = createLogin();
      const next = createLogin();
      const onConnect = (attempt: number) => waitFor(attempt === 1 ? login : next.login)();
      const { clock, upstream, control } = mount({ onConnect });
      await clock.advance(0);
      state.isExpired = true;
      await clock.advance(3_600_000);
      expect(control.connects()).toBe(1);
      const info = upstream.info();
      expect(info.last_error).toBe(
        'waits for a login; the link has expired, and the next request for it brings a new one',
      );
      expect(info).not.toHaveProperty('login_url');
      await clock.advance(0);
      expect(control.connects()).toBe(1); // a reader, such as a scrape of metrics, starts no login
      ask(upstream);
      await clock.advance(0);
      expect(control.connects()).toBe(2);
      expect(upstream.info()).toMatchObject({ status: 'degraded', login_url: link });
    },
  );

  it('lets go of the login when it is unmounted', async () => {
    const { login, state } = createLogin();
    const { clock, pool } = mount({ onConnect: waitFor(login) });
    await clock.advance(0);
    await pool.unmount('s');
    expect(state.isCancelled).toBe(true);
  });
});

describe('a call that needs a login for more', () => {
  it('fails with the link, and says nothing about the circuit', async () => {
    const { login } = createLogin();
    const { clock, upstream } = mount({ handle: waitFor(login) });
    await clock.advance(0);
    for (let n = 0; n < 5; n += 1) {
      expect(await upstream.send(call, deadline)).toMatchObject({ kind: 'unreachable', sent: false, login });
    }
    expect(upstream.info()).toMatchObject({ status: 'connected', circuit: { consecutive_failures: 0 } });
  });
});
