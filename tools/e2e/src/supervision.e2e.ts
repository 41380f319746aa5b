// Lost servers come back: child processes within their restarts, HTTP servers while they are configured.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { dead, fixture, recordRequests, type Scripted, scripted, startHttpFixture, tool } from './support/upstreams.js';
import { eventually, freePort } from './support/wait.js';

/** How many times as fast as real time the daemon's clock runs where a test is about minutes; so are its time limits. */
const clockFactor = 5;

const tools = [tool('echo'), tool('crash'), tool('mute')];

const kill = async (daemon: Daemon, id: string) => process.kill((await daemon.server(id)).pid, 'SIGKILL');

const reaches = (daemon: Daemon, id: string, expected: object) =>
  eventually(async () => expect(await daemon.server(id)).toMatchObject(expected));

const starts = (upstream: Scripted) => new Set(upstream.received().map(({ pid }) => pid)).size;

describe('a child that ends', () => {
  it('is noticed without a call, is reconnecting, and is started again [supervision-restarts] [supervision-immediate] [supervision-reconnecting] [limit-auto-restart]', async () => {
    const upstream = scripted({ tools });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const { pid } = await daemon.server('s');
    upstream.define({ tools, isHeld: true });
    await kill(daemon, 's');
    await reaches(daemon, 's', { status: 'reconnecting', last_error: 'the process was ended by SIGKILL' });
    expect(await daemon.ids('capabilities')).toContain('s.echo'); // its entries stay while it is away
    upstream.define({ tools });
    await reaches(daemon, 's', { status: 'connected', restarts: 1 });
    expect((await daemon.server('s')).pid).not.toBe(pid);
    const lost = await daemon.call('s.crash');
    expect([lost.status, lost.body.error.code]).toEqual([502, 'SERVER_UNREACHABLE']);
    await reaches(daemon, 's', { status: 'connected', restarts: 2 });
    expect((await daemon.call('s.echo')).status).toBe(200);
    expect(upstream.received('tools/call').map(({ params }) => params.name)).toEqual(['crash', 'echo']); // none repeated
  });

  it('is called again at once after calls without it have opened the circuit', async () => {
    const upstream = scripted({ tools });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    upstream.define({ tools, isHeld: true });
    await kill(daemon, 's');
    await reaches(daemon, 's', { status: 'reconnecting' });
    const codes: string[] = [];
    for (let call = 0; call < 4; call += 1) codes.push((await daemon.call('s.echo')).body.error.code);
    expect(codes).toEqual(['SERVER_UNREACHABLE', 'SERVER_UNREACHABLE', 'SERVER_UNREACHABLE', 'CIRCUIT_OPEN']);
    upstream.define({ tools });
    await reaches(daemon, 's', { status: 'connected', circuit: { state: 'half_open', remaining_ms: 0 } });
    expect((await daemon.call('s.echo')).status).toBe(200);
  });

  it('is asked for all lists again, and the digest follows its answers [supervision-rediscovers] [supervision-digest]', async () => {
    const upstream = scripted({ tools });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const version = async () => (await daemon.list('capabilities')).body.catalog_version;
    const before = await version();
    await kill(daemon, 's');
    await reaches(daemon, 's', { status: 'connected', restarts: 1 });
    for (const method of ['initialize', 'tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
      expect([method, upstream.received(method).length]).toEqual([method, 2]);
    }
    expect(await version()).toBe(before);
    upstream.define({ tools: [...tools, tool('fresh')] });
    await kill(daemon, 's');
    await reaches(daemon, 's', { status: 'connected', restarts: 2 });
    expect(await daemon.ids('capabilities')).toContain('s.fresh');
    expect(await version()).not.toBe(before);
  });

  it('is not started again with autoRestart off, nor past maxRestarts: disabled [supervision-auto-restart-off] [supervision-disabled]', async () => {
    const off = scripted({ tools });
    const used = scripted({ tools });
    const daemon = await startDaemon({
      mcpServers: {
        off: { ...off.server, resilience: { autoRestart: false } },
        used: { ...used.server, resilience: { maxRestarts: 1 } },
        beside: fixture(),
      },
    });
    await daemon.connected();
    await kill(daemon, 'off');
    await reaches(daemon, 'off', {
      status: 'disabled',
      restarts: 0,
      last_error: 'the process was ended by SIGKILL; autoRestart is off',
    });
    await kill(daemon, 'used');
    await reaches(daemon, 'used', { status: 'connected', restarts: 1 });
    await kill(daemon, 'used');
    await reaches(daemon, 'used', {
      status: 'disabled',
      restarts: 1,
      last_error: 'the process was ended by SIGKILL; gave up after 1 restart (maxRestarts)',
    });
    // As long as another one needs for two restarts, nothing happens to these two.
    await kill(daemon, 'beside');
    await reaches(daemon, 'beside', { status: 'connected', restarts: 1 });
    await kill(daemon, 'beside');
    await reaches(daemon, 'beside', { status: 'connected', restarts: 2 });
    expect([starts(off), starts(used)]).toEqual([1, 2]);
    const { status, body } = await daemon.call('off.echo');
    expect([status, body.error.message]).toEqual([
      502,
      'server "off" is disabled: the process was ended by SIGKILL; autoRestart is off',
    ]);
  });

  it('is started again at most 5 times without a setting [limit-max-restarts]', async () => {
    const upstream = scripted({ tools });
    const mcpServers = { s: upstream.server, hopeless: fixture('--exit-code', '3') };
    const daemon = await startDaemonProcess({ mcpServers }, { clockFactor });
    for (let restarts = 0; restarts <= 5; restarts += 1) {
      await reaches(daemon, 's', { status: 'connected', restarts });
      await kill(daemon, 's');
    }
    await reaches(daemon, 's', { status: 'disabled', restarts: 5 });
    expect(starts(upstream)).toBe(6);
    await reaches(daemon, 'hopeless', {
      status: 'disabled',
      restarts: 5,
      last_error:
        'the process exited with code 3; gave up after 5 restarts (maxRestarts); its last line: ended as asked',
    });
  });

  it('that was given up on is started once a try, shown as crashed, and taken back when it works', async () => {
    const folder = tempFolder();
    const note = join(folder, 'starts');
    const good = join(folder, 'good');
    const { command, args } = fixture();
    const script = `
      const { appendFileSync, existsSync } = require('node:fs');
      appendFileSync(${JSON.stringify(note)}, 'x');
      if (!existsSync(${JSON.stringify(good)})) { console.error('no database'); process.exit(3); }
      process.argv.splice(1, 0, ...${JSON.stringify(args)});
      import(require('node:url').pathToFileURL(${JSON.stringify(args[0])}).href);`;
    const daemon = await startDaemon({
      supervisor: { retryGivenUpSecs: 2 },
      mcpServers: { s: { command, args: ['-e', script], resilience: { maxRestarts: 1 } } },
    });
    await reaches(daemon, 's', {
      status: 'disabled',
      given_up: true,
      last_line: 'no database',
      last_error: expect.stringContaining('gave up after 1 restart (maxRestarts)'),
    });
    expect((await daemon.call('s.echo')).body.error).toMatchObject({
      retryable: false,
      hint: expect.stringContaining('server "s" is tried again every 2 s (supervisor.retryGivenUpSecs)'),
    });
    // The first try asks for its era, and then the old way; each later one is one start.
    await eventually(async () => {
      const { restarts } = await daemon.server('s');
      expect(readFileSync(note, 'utf8')).toHaveLength(2 + restarts);
    });
    writeFileSync(good, '');
    await reaches(daemon, 's', { status: 'connected' });
    expect((await daemon.server('s')).given_up).toBeUndefined();
  });

  it('is shown with the line that it wrote last', async () => {
    const script = "console.error('starting'); console.error('Error: API_KEY is not set'); process.exitCode = 1";
    const daemon = await startDaemon({ mcpServers: { s: { command: process.execPath, args: ['-e', script] } } });
    const line = 'Error: API_KEY is not set';
    await reaches(daemon, 's', {
      last_error: `the process exited with code 1; its last line: ${line}`,
      last_line: line,
    });
  });

  it('has its restarts counted since its last 60 s of healthy running [supervision-healthy-minute]', async () => {
    const resilience = { maxRestarts: 1 };
    const daemon = await startDaemonProcess(
      { mcpServers: { patient: { ...fixture(), resilience }, hasty: { ...fixture(), resilience } } },
      { clockJumpMs: 61_000 },
    );
    await daemon.connected();
    for (const id of ['patient', 'hasty']) await kill(daemon, id);
    for (const id of ['patient', 'hasty']) await reaches(daemon, id, { status: 'connected', restarts: 1 });
    await kill(daemon, 'hasty');
    await reaches(daemon, 'hasty', { status: 'disabled', restarts: 1 });
    daemon.jump();
    await eventually(async () => {
      const { body } = await daemon.get<{ metrics: { uptime_secs: number } }>('/v1/config');
      expect(body.metrics.uptime_secs).toBeGreaterThan(60);
    });
    await kill(daemon, 'patient');
    await reaches(daemon, 'patient', { status: 'connected', restarts: 2 });
  });
});

describe('a server that is not there', () => {
  it('over HTTP is reconnected when it is back, restarts without limit [supervision-transport-failure] [supervision-immediate]', async () => {
    const port = ['--port', String(await freePort())];
    const first = await startHttpFixture(...port);
    const daemon = await startDaemon({ mcpServers: { s: { url: first.url, resilience: { maxRestarts: 0 } } } });
    await daemon.connected();
    await first.kill();
    await reaches(daemon, 's', { status: 'reconnecting', last_error: expect.any(String) });
    await startHttpFixture(...port);
    await reaches(daemon, 's', { status: 'connected', restarts: 0, reconnects: expect.any(Number) });
    expect((await daemon.call('s.echo', { text: 'back' })).status).toBe(200);
  });

  it('from the start is retried on the same schedule, and appears by itself [supervision-never-connected]', async () => {
    const command = join(tempFolder(), 'server');
    const daemon = await startDaemon({ mcpServers: { s: { command } } });
    await eventually(async () => {
      const { status, restarts } = await daemon.server('s');
      expect([status, restarts > 0]).toEqual(['degraded', true]);
    });
    const { command: node, args } = fixture();
    writeFileSync(command, `#!/bin/sh\nexec '${node}' '${args.join("' '")}'\n`);
    chmodSync(command, 0o755);
    await reaches(daemon, 's', { status: 'connected' });
    expect(await daemon.ids('capabilities')).toContain('s.echo');
  });

  it('is tried again after min(500 * 2^(retry-1), 30000) ms [limit-restart-backoff] [supervision-never-connected]', async () => {
    const asked = join(tempFolder(), 'delays');
    const daemon = await startDaemonProcess(
      { mcpServers: { s: { ...dead, resilience: { maxRestarts: 100 } } } },
      { clockFactor: 20, delaysFile: asked },
    );
    const times = await eventually(async () => {
      const { body } = await daemon.get<{ lines: { timestamp: string }[] }>('/v1/servers/s/logs');
      expect(body.lines.length).toBeGreaterThanOrEqual(9); // one for each failure
      return body.lines.map(({ timestamp }) => Date.parse(timestamp));
    }, 60_000);
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    const schedule = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000];
    // A millisecond of real time is twenty of the daemon's, so its own work shows: it is never less, but may be more.
    for (const [index, wait] of schedule.entries()) expect(waits[index]).toBeGreaterThanOrEqual(wait - 20);
    // The delays of its timer are not longer either. No other timer has a delay between four seconds and a minute.
    const delays = readFileSync(asked, 'utf8').trimEnd().split('\n').map(Number);
    const long = delays.filter((delay) => delay >= 4000 && delay < 60_000);
    expect(long.slice(0, 5)).toEqual(schedule.slice(3));
  }, 90_000);
});

describe('health checks', () => {
  it('ask an idle server at their interval: ping in 2025-11-25, discovery in 2026-07-28, nothing without a setting [supervision-health-check] [limit-health-check]', async () => {
    const resilience = { healthCheckIntervalSecs: 1 };
    const legacy = scripted({ tools });
    const unchecked = scripted({ tools });
    const modern = await recordRequests(await startHttpFixture('--mode', 'modern'));
    const daemon = await startDaemon({
      mcpServers: {
        legacy: { ...legacy.server, resilience },
        modern: { url: modern.url, resilience },
        unchecked: unchecked.server,
      },
    });
    await daemon.connected();
    const before = unchecked.received().length;
    const discoveries = () => modern.requests.filter(({ rpcMethod }) => rpcMethod === 'server/discover').length;
    await eventually(() => {
      expect(legacy.received('ping').length).toBeGreaterThanOrEqual(4);
      expect(discoveries()).toBeGreaterThanOrEqual(1 + 4); // the first is the handshake
    });
    expect(legacy.received('server/discover').length).toBeLessThanOrEqual(1);
    expect(unchecked.received()).toHaveLength(before);
    const statuses = await Promise.all(
      ['legacy', 'modern', 'unchecked'].map(async (id) => (await daemon.server(id)).status),
    );
    expect(statuses).toEqual(['connected', 'connected', 'connected']);
  });

  it('that fail are a lost connection: the server is started again [supervision-health-check-failure]', async () => {
    const upstream = scripted({ tools });
    const daemon = await startDaemonProcess(
      { mcpServers: { s: { ...upstream.server, resilience: { healthCheckIntervalSecs: 1 } } } },
      { clockFactor: 2 },
    );
    await daemon.connected();
    const { pid } = await daemon.server('s');
    await daemon.call('s.mute');
    await eventually(async () => {
      const { body } = await daemon.get<{ lines: { text: string }[] }>('/v1/servers/s/logs');
      expect(body.lines.map(({ text }) => text)).toContainEqual(
        expect.stringMatching(/^\[portico\] reconnecting: health check failed: /),
      );
    });
    await reaches(daemon, 's', { status: 'connected', restarts: 1 });
    expect((await daemon.server('s')).pid).not.toBe(pid);
  });
});
