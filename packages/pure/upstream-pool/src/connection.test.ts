// A server's connection over its life, on a clock that the test moves: connect, lose, retry, give up, close.
import type { ServerInfo, UpstreamDefinitions } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { createMemoryConnector, type MemoryServer } from './memory-connector.js';
import { createUpstreamPool } from './pool.js';
import { configOf, quietListener } from './testing/one-server.js';

const child = { command: 'node' };
const remote = { url: 'http://127.0.0.1:1/mcp' };

const refuse = () => {
  throw new Error('cannot start');
};
const hang = () => new Promise<void>(() => {});

function tool(name: string) {
  return { name, inputSchema: { type: 'object' } };
}

/** One mounted server `s`, with everything its listener received. */
function mount(serverOf: MemoryServer | ((clock: ManualClock) => MemoryServer), definition: object = child) {
  const clock = createManualClock();
  const server = typeof serverOf === 'function' ? serverOf(clock) : serverOf;
  const connector = createMemoryConnector({ s: server });
  const states: [number, string][] = [];
  const definitions: UpstreamDefinitions[] = [];
  const updated: string[] = [];
  const pool = createUpstreamPool(
    { connector, clock },
    {
      ...quietListener,
      onState: (_id, { status }) => states.push([clock.now(), status]),
      onDefinitions: (_id, read) => definitions.push(read),
      onResourceUpdated: (_id, uri) => updated.push(uri),
    },
  );
  const upstream = pool.mount('s', configOf(definition));
  return { clock, pool, upstream, states, definitions, updated, control: connector.server('s') };
}

const statuses = (states: readonly (readonly [number, string])[]) => states.map(([, status]) => status);

const connectedInfo: ServerInfo = {
  id: 's',
  transport: 'stdio',
  status: 'connected',
  protocol_version: '2025-11-25',
  pid: 42,
  circuit: { state: 'closed', consecutive_failures: 0, remaining_ms: 0 },
  restarts: 0,
  queued: 0,
  running: 0,
  tools: 1,
  resources: 2,
  prompts: 0,
};

describe('connecting', () => {
  it('reads the lists before the server counts as connected, and reports its capabilities', async () => {
    const { clock, upstream, states, definitions } = mount({
      pid: 42,
      definitions: {
        tools: [tool('add')],
        resources: [{ uri: 'file:///a', name: 'a' }],
        resourceTemplates: [{ uriTemplate: 'file:///{path}', name: 'files' }],
      },
    });
    expect(upstream.info()).toEqual({ ...connectedInfo, ...connecting });
    await clock.advance(0);
    expect(statuses(states)).toEqual(['connecting', 'connected']);
    expect(definitions.map(({ tools }) => tools)).toEqual([[tool('add')]]);
    expect(upstream.info()).toEqual(connectedInfo);
  });

  it('waits for a server that takes seven seconds to start', async () => {
    const { clock, states } = mount(({ sleep }) => ({ onConnect: () => sleep(7000) }));
    await clock.advance(6999);
    expect(statuses(states)).toEqual(['connecting']);
    await clock.advance(1);
    expect(states).toEqual([
      [0, 'connecting'],
      [7000, 'connected'],
    ]);
  });

  it('gives up a connect that hangs after 60 s and tries again', async () => {
    const { clock, upstream, states, control } = mount({
      onConnect: (attempt) => (attempt === 1 ? hang() : undefined),
    });
    await clock.advance(60_000);
    expect(upstream.info().last_error).toBe('no answer within 60000 ms');
    await clock.advance(500);
    expect(states).toEqual([
      [0, 'connecting'],
      [60_000, 'degraded'],
      [60_500, 'connected'],
    ]);
    expect(control.sessions()).toBe(1);
  });

  it('closes the session of a server whose lists cannot be read, and says why', async () => {
    const { clock, upstream, control } = mount({
      onDiscover: () => {
        throw new Error('tools/list: internal error');
      },
    });
    await clock.advance(0);
    expect(upstream.info()).toMatchObject({ status: 'degraded', last_error: 'tools/list: internal error' });
    expect([control.connects(), control.sessions()]).toEqual([1, 0]);
  });
});

const connecting = { status: 'connecting', protocol_version: null, tools: 0, resources: 0, pid: undefined };

describe('the last line of a child', () => {
  it('is shown with its last error', async () => {
    const { clock, upstream, control } = mount({});
    await clock.advance(0);
    control.log('listening');
    control.log('Error: API_KEY is not set');
    control.log(' ');
    control.drop('the process exited with code 1');
    await clock.advance(0);
    const last_error = 'the process exited with code 1; its last line: Error: API_KEY is not set';
    expect(upstream.info()).toMatchObject({ status: 'reconnecting', last_error });
    await clock.advance(500);
    control.drop('was ended by SIGKILL');
    await clock.advance(0);
    expect(upstream.info()).toMatchObject({ last_error: 'was ended by SIGKILL' });
  });
});

describe('retrying', () => {
  it('retries a child that never connected on the schedule, then disables it with the reason', async () => {
    const { clock, upstream, states, control } = mount({ onConnect: refuse });
    await clock.advance(10 * 60_000);
    expect(states).toEqual([
      [0, 'connecting'],
      [0, 'degraded'],
      [500, 'degraded'],
      [1500, 'degraded'],
      [3500, 'degraded'],
      [7500, 'degraded'],
      [15_500, 'disabled'],
    ]);
    expect(control.connects()).toBe(6);
    expect(upstream.info()).toMatchObject({
      status: 'disabled',
      restarts: 5,
      last_error: 'cannot start; gave up after 5 restarts (maxRestarts)',
    });
    expect(clock.sleeping()).toBe(0);
  });

  it('brings a child that was killed while idle back without any call', async () => {
    const { clock, upstream, states, definitions, control } = mount({});
    await clock.advance(1000);
    control.drop('child exited with code 137');
    await clock.advance(0);
    expect(upstream.info()).toMatchObject({ status: 'reconnecting', last_error: 'child exited with code 137' });
    await clock.advance(500);
    expect(states).toEqual([
      [0, 'connecting'],
      [0, 'connected'],
      [1000, 'reconnecting'],
      [1500, 'connected'],
    ]);
    expect(upstream.info()).toMatchObject({ status: 'connected', restarts: 1 });
    expect(definitions).toHaveLength(2);
  });

  it('does not restart a child with autoRestart off', async () => {
    const { clock, upstream, control } = mount({}, { ...child, resilience: { autoRestart: false } });
    await clock.advance(0);
    control.drop('child exited with code 1');
    await clock.advance(60_000);
    expect(control.connects()).toBe(1);
    expect(upstream.info()).toMatchObject({
      status: 'disabled',
      last_error: 'child exited with code 1; autoRestart is off',
    });
  });

  it('retries a server over HTTP without end', async () => {
    const { clock, upstream, control } = mount(
      { onConnect: refuse },
      { ...remote, resilience: { maxRestarts: 1, autoRestart: false } },
    );
    await clock.advance(15_500 + 16_000 + 100 * 30_000);
    expect(control.connects()).toBe(107);
    expect(upstream.info().status).toBe('degraded');
  });

  it('forgets earlier restarts after 60 s of healthy running', async () => {
    const { clock, upstream, control } = mount({}, { ...child, resilience: { maxRestarts: 1 } });
    for (let i = 0; i < 5; i++) {
      await clock.advance(60_000);
      control.drop('crash');
      await clock.advance(500);
      expect(upstream.info().status).toBe('connected');
    }
  });

  it('disables a child that never runs for 60 s, even when it connects each time', async () => {
    const { clock, upstream, control } = mount({}, { ...child, resilience: { maxRestarts: 2 } });
    for (let i = 0; i < 3; i++) {
      await clock.advance(50_000);
      control.drop('crash');
    }
    await clock.advance(0);
    expect(upstream.info()).toMatchObject({ status: 'disabled', restarts: 2 });
  });

  it('tries one that was given up on once in a while, shows it during the try, and takes it back', async () => {
    const clock = createManualClock();
    const connector = createMemoryConnector({
      s: {
        onConnect: (attempt) => {
          if (attempt <= 4) throw new Error('not well');
        },
      },
    });
    const deps = { connector, clock, retryGivenUpMs: () => 300_000 };
    const upstream = createUpstreamPool(deps, quietListener).mount(
      's',
      configOf({ ...child, resilience: { maxRestarts: 1 } }),
    );
    const control = connector.server('s');
    await clock.advance(1000);
    const shown = {
      status: 'disabled',
      given_up: true,
      last_error: expect.stringContaining('gave up after 1 restart ('),
    };
    for (const attempts of [2, 3, 4]) {
      expect(upstream.info()).toMatchObject(shown);
      expect(control.connects()).toBe(attempts);
      await clock.advance(299_000);
      expect(control.connects()).toBe(attempts);
      await clock.advance(1000);
    }
    expect(upstream.info()).toMatchObject({ status: 'connected', restarts: 4 });
    expect(upstream.info()).not.toHaveProperty('given_up');
  });

  it('counts connections over HTTP that are made again apart from restarts', async () => {
    const clock = createManualClock();
    const connector = createMemoryConnector({ s: {} });
    const upstream = createUpstreamPool({ connector, clock }, quietListener).mount(
      's',
      configOf({ url: 'http://127.0.0.1:1/mcp' }),
    );
    await clock.advance(0);
    connector.server('s').drop('gone');
    await clock.advance(500);
    expect(upstream.info()).toMatchObject({ status: 'connected', restarts: 0, reconnects: 1 });
  });

  it('does not take the time of a connect that hangs for healthy running', async () => {
    const { clock, upstream, control } = mount(
      { onConnect: (attempt) => (attempt === 1 ? undefined : hang()) },
      { ...child, resilience: { maxRestarts: 3 } },
    );
    await clock.advance(0);
    control.drop('crash');
    await clock.advance(10 * 60_000);
    expect(upstream.info()).toMatchObject({ status: 'disabled', restarts: 3 });
    expect(control.connects()).toBe(4);
  });

  it('counts healthy running from when the server was connected, not from when it was started', async () => {
    const { clock, upstream, control } = mount(({ sleep }) => ({ onConnect: () => sleep(50_000) }), {
      ...child,
      resilience: { maxRestarts: 0 },
    });
    await clock.advance(50_000 + 20_000);
    expect(upstream.info().status).toBe('connected');
    control.drop('crash');
    await clock.advance(500);
    expect(upstream.info().status).toBe('disabled');
  });

  it('keeps what is known of a server while it is away', async () => {
    const { clock, upstream, control } = mount({ definitions: { tools: [tool('add')] } });
    await clock.advance(0);
    control.drop('crash');
    await clock.advance(0);
    expect(upstream.info()).toMatchObject({ status: 'reconnecting', tools: 1, protocol_version: null });
  });
});

describe('watching', () => {
  it('reads the lists again when the server says that they changed', async () => {
    const { clock, upstream, definitions, control } = mount({});
    await clock.advance(0);
    control.change({ tools: [tool('add'), tool('sub')] });
    await clock.advance(0);
    expect(definitions.at(-1)?.tools.map(({ name }) => name)).toEqual(['add', 'sub']);
    expect(upstream.info().tools).toBe(2);
  });

  it('makes one more read of all changes that come while it reads', async () => {
    const reads = { hold: false, release: () => {} };
    const { clock, control, definitions } = mount({
      onDiscover: () =>
        reads.hold
          ? new Promise<void>((resolve) => {
              reads.release = resolve;
            })
          : undefined,
    });
    await clock.advance(0);
    reads.hold = true;
    control.change({ tools: [tool('a')] });
    await clock.advance(0);
    for (const name of ['b', 'c', 'd']) control.change({ tools: [tool(name)] });
    reads.hold = false;
    reads.release();
    await clock.advance(50);
    expect(control.discoveries()).toBe(3);
    expect(definitions.at(-1)?.tools).toEqual([tool('d')]);
  });

  it('does not lose a change that is announced while the server still connects', async () => {
    const reading: { announce?: () => void } = {};
    const { clock, control, definitions } = mount({ onDiscover: () => reading.announce?.() });
    reading.announce = () => {
      delete reading.announce;
      control.change({ tools: [tool('late')] });
    };
    await clock.advance(0);
    expect(control.discoveries()).toBe(2);
    expect(definitions.at(-1)?.tools).toEqual([tool('late')]);
  });

  it('keeps the old lists and the connection when a re-read fails, logs it, and reads at the next change', async () => {
    const reading = { fails: false };
    const { clock, upstream, definitions, control } = mount({
      onDiscover: () => {
        if (reading.fails) throw new Error('busy');
      },
    });
    await clock.advance(0);
    reading.fails = true;
    control.change({ tools: [tool('a')] });
    await clock.advance(0);
    expect(upstream.info().status).toBe('connected');
    expect(upstream.logs().map(({ text }) => text)).toEqual(['could not read the changed lists: busy']);
    await clock.advance(50);
    reading.fails = false;
    control.change({ tools: [tool('b')] });
    await clock.advance(0);
    expect(definitions.map(({ tools }) => tools.length)).toEqual([0, 1]);
  });

  it('gives up a re-read that hangs, so that later changes are still read', async () => {
    const reading = { hangs: false };
    const { clock, control, definitions } = mount({ onDiscover: () => (reading.hangs ? hang() : undefined) });
    await clock.advance(0);
    reading.hangs = true;
    control.change({ tools: [tool('a')] });
    await clock.advance(0);
    reading.hangs = false;
    control.change({ tools: [tool('b')] });
    await clock.advance(60_000 + 50);
    expect(definitions.at(-1)?.tools).toEqual([tool('b')]);
    await clock.advance(100);
    expect(clock.sleeping()).toBe(0);
  });

  it('reads ever less often for a server that never stops announcing changes', async () => {
    const reading: { announce?: () => void } = {};
    const { clock, control } = mount({ onDiscover: () => reading.announce?.() });
    await clock.advance(0);
    let names = 0;
    reading.announce = () => {
      names += 1;
      control.change({ tools: [tool(`t${names}`)] });
    };
    control.change({ tools: [] });
    await clock.advance(60_000);
    expect(control.discoveries()).toBeLessThan(15);
    delete reading.announce;
  });

  it('passes on which resource was updated, and keeps what the server logs with its time', async () => {
    const { clock, upstream, updated, control } = mount({});
    await clock.advance(1500);
    control.updateResource('file:///a');
    control.log('listening');
    expect(updated).toEqual(['file:///a']);
    expect(upstream.logs()).toEqual([{ timestamp: '1970-01-01T00:00:01.500Z', text: 'listening' }]);
  });

  it('keeps the last 500 lines of a log', async () => {
    const { clock, upstream, control } = mount({});
    await clock.advance(0);
    for (let i = 0; i < 600; i++) control.log(`line ${i}`);
    const lines = upstream.logs();
    expect([lines.length, lines[0]?.text, lines.at(-1)?.text]).toEqual([500, 'line 100', 'line 599']);
  });

  it('checks the health of a server at its interval, and of no other', async () => {
    const checks: number[] = [];
    const { clock, upstream } = mount(({ now }) => ({ onHealthCheck: () => void checks.push(now()) }), {
      ...child,
      resilience: { healthCheckIntervalSecs: 30 },
    });
    await clock.advance(95_000);
    expect(checks).toEqual([30_000, 60_000, 90_000]);
    expect(upstream.info().status).toBe('connected');

    const unchecked = mount({});
    await unchecked.clock.advance(0);
    expect(unchecked.clock.sleeping()).toBe(0);
  });

  it.each([
    { what: 'fails', onHealthCheck: refuse, ms: 5000, reason: 'health check failed: cannot start' },
    { what: 'hangs', onHealthCheck: hang, ms: 15_000, reason: 'health check failed: no answer within 10000 ms' },
  ])('restarts a server whose health check $what', async ({ onHealthCheck, ms, reason }) => {
    const { clock, upstream, control } = mount(
      { onHealthCheck },
      { ...child, resilience: { healthCheckIntervalSecs: 5 } },
    );
    await clock.advance(ms);
    expect(upstream.info()).toMatchObject({ status: 'reconnecting', last_error: reason });
    expect(control.sessions()).toBe(0);
    await clock.advance(500);
    expect(control.connects()).toBe(2);
  });
});

describe('closing', () => {
  it.each<{ when: string; server: MemoryServer; definition?: object; advanceMs: number }>([
    { when: 'it connects', server: { onConnect: hang }, advanceMs: 10 },
    { when: 'its lists are read', server: { onDiscover: hang }, advanceMs: 10 },
    { when: 'it is connected', server: {}, advanceMs: 10 },
    {
      when: 'its health is watched',
      server: {},
      definition: { ...child, resilience: { healthCheckIntervalSecs: 5 } },
      advanceMs: 5001,
    },
    {
      when: 'a health check hangs',
      server: { onHealthCheck: hang },
      definition: { ...child, resilience: { healthCheckIntervalSecs: 5 } },
      advanceMs: 5001,
    },
    { when: 'it waits for its next try', server: { onConnect: refuse }, advanceMs: 600 },
    { when: 'it is disabled', server: { onConnect: refuse }, advanceMs: 600_000 },
  ])('leaves no session, no timer and no retry while $when', async ({ server, definition, advanceMs }) => {
    const { clock, pool, control, states } = mount(server, definition);
    await clock.advance(advanceMs);
    await pool.close();
    const before = [control.connects(), states.length];
    expect([control.sessions(), clock.sleeping(), pool.list().length]).toEqual([0, 0, 0]);
    await clock.advance(600_000);
    expect([control.connects(), states.length]).toEqual(before);
  });

  it('unmounts one server and can mount its id again', async () => {
    const { pool, clock, upstream, control } = mount({});
    await clock.advance(0);
    expect(await pool.unmount('s')).toBe(true);
    expect(await pool.unmount('s')).toBe(false);
    expect([pool.get('s'), control.sessions()]).toEqual([undefined, 0]);
    expect(upstream.id).toBe('s');
  });

  it('refuses to mount an id twice', () => {
    const { pool } = mount({});
    expect(() => pool.mount('s', configOf(child))).toThrow('server "s" is mounted already');
  });
});
