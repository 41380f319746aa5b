// The circuit of each server: what opens it, what it lets through, and what closes it.
import { describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type DaemonProcess, startDaemonProcess } from './support/daemon-process.js';
import { dead, type Scripted, scripted, startHttpFixture, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const names = ['echo', 'never', 'fail', 'error', 'tool_error', 'held', 'crash'];

/** Longer than any test takes. A test that waits for its end sets the clock of a process forward. */
const cooldownMs = 600_000;

/** A scripted server behind a daemon. */
async function open<D extends Daemon>(
  starter: (config: object) => Promise<D>,
  resilience: object,
  config: object = {},
): Promise<{ daemon: D; upstream: Scripted }> {
  const upstream = scripted({
    tools: names.map((name) => tool(name)),
    resources: [
      { uri: 'book://one', name: 'one' },
      { uri: 'book://x/never', name: 'never' },
    ],
    prompts: [{ name: 'greet' }, { name: 'never' }],
  });
  const daemon = await starter({
    resilience,
    mcpServers: { s: upstream.server, other: scripted({ tools: [tool('echo')] }).server },
    ...config,
  });
  await daemon.connected();
  return { daemon, upstream };
}

/** A failure that needs no time-out: the connection is lost. Resolves when the server is there again. */
async function fail(daemon: Daemon): Promise<void> {
  const { pid: lost } = await daemon.server('s');
  expect((await daemon.call('s.crash')).status).toBe(502);
  await eventually(async () => {
    const { status, pid } = await daemon.server('s');
    expect([status, pid === lost]).toEqual(['connected', false]);
  });
}

const circuit = async (daemon: Daemon, id = 's') => (await daemon.server(id)).circuit;
const read = (daemon: Daemon, id: string) => daemon.post<Envelope>('/v1/resources/read', { resource_id: id });
const prompt = (daemon: Daemon, id: string) => daemon.post<Envelope>('/v1/prompts/get', { prompt_id: id });
const complete = (daemon: Daemon) =>
  daemon.post<Envelope>('/v1/completion/complete', { ref_type: 'prompt', ref_name: 's.greet', argument_name: 'x' });

describe('a closed circuit', () => {
  it('opens at failureThreshold failures in a row, refuses at once and leaves other servers alone [breaker-opens] [breaker-open-refuses] [breaker-per-server] [breaker-success-resets]', async () => {
    const { daemon, upstream } = await open(startDaemon, { failureThreshold: 2, cooldownMs });
    await fail(daemon);
    expect(await circuit(daemon)).toMatchObject({ state: 'closed', consecutive_failures: 1 });
    await daemon.call('s.echo');
    expect(await circuit(daemon)).toMatchObject({ state: 'closed', consecutive_failures: 0 });
    await fail(daemon);
    expect(await circuit(daemon)).toMatchObject({ state: 'closed', consecutive_failures: 1 });
    await fail(daemon);
    expect(await circuit(daemon)).toMatchObject({ state: 'open', consecutive_failures: 2 });
    const contacts = upstream.received('tools/call').length;
    const { status, body } = await daemon.call('s.echo');
    expect([status, body.error.code]).toEqual([503, 'CIRCUIT_OPEN']);
    expect(upstream.received('tools/call')).toHaveLength(contacts);
    expect((await daemon.call('other.echo')).status).toBe(200);
    expect(await circuit(daemon, 'other')).toEqual({ state: 'closed', consecutive_failures: 0, remaining_ms: 0 });
  });

  it('is one for calls, reads, prompts and completions [breaker-shared-by-kinds]', async () => {
    const { daemon, upstream } = await open(startDaemon, { failureThreshold: 3, cooldownMs }, { toolTimeoutMs: 300 });
    expect((await daemon.call('s.never')).status).toBe(504);
    expect((await read(daemon, 's.book://x/never')).status).toBe(504);
    expect((await prompt(daemon, 's.never')).status).toBe(504);
    await eventually(() => expect(upstream.received('prompts/get')).toHaveLength(1)); // maybe not within the 300 ms
    const contacts = upstream.received().filter(({ method }) => method !== 'notifications/cancelled').length;
    const refused = [
      await daemon.call('s.echo'),
      await read(daemon, 's.book://one'),
      await prompt(daemon, 's.greet'),
      await complete(daemon),
    ];
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
      refused.map(() => [503, 'CIRCUIT_OPEN']),
    );
    expect(upstream.received().filter(({ method }) => method !== 'notifications/cancelled')).toHaveLength(contacts);
  });

  it('counts time-outs, lost connections and failed connects [breaker-counts-failures]', async () => {
    const http = await startHttpFixture();
    const daemon = await startDaemon({
      toolTimeoutMs: 3000, // what is lost is to be lost before
      resilience: { failureThreshold: 100 },
      mcpServers: { late: { url: http.url }, lost: { url: http.url }, dead },
    });
    await daemon.connected('late', 'lost');
    await eventually(async () => expect((await daemon.server('dead')).status).toBe('degraded'));
    const answers = [
      await daemon.call('late.sleep', { ms: 60_000 }),
      await daemon.call('lost.drop'),
      await daemon.call('dead.x'),
    ];
    expect(answers.map(({ body }) => body.error.code)).toEqual([
      'UPSTREAM_TIMEOUT',
      'SERVER_UNREACHABLE',
      'SERVER_UNREACHABLE',
    ]);
    const counts = await Promise.all(
      ['late', 'lost', 'dead'].map(async (id) => (await circuit(daemon, id)).consecutive_failures),
    );
    expect(counts).toEqual([1, 1, 1]);
  });

  it('does not count errors that blame the request, nor errors of the tool [breaker-ignores-request-errors]', async () => {
    const { daemon } = await open(startDaemon, { failureThreshold: 1, cooldownMs });
    for (const code of [-32600, -32601, -32602]) expect((await daemon.call('s.error', { code })).status).toBe(502);
    expect((await daemon.call('s.tool_error')).status).toBe(200);
    expect((await daemon.call('s.no_such_tool')).status).toBe(404);
    expect(await circuit(daemon)).toEqual({ state: 'closed', consecutive_failures: 0, remaining_ms: 0 });
  });
});

describe('an open circuit', () => {
  const withJump = (config: object) => startDaemonProcess(config, { clockJumpMs: cooldownMs });

  async function opened() {
    const { daemon, upstream } = await open(withJump, {
      failureThreshold: 1,
      cooldownMs,
      consecutiveSuccesses: 2,
    });
    await fail(daemon);
    expect((await circuit(daemon)).state).toBe('open');
    return { daemon, upstream };
  }

  /** When its cooldown is over. */
  const halfOpen = async (daemon: DaemonProcess) => {
    daemon.jump();
    await eventually(async () => expect(await circuit(daemon)).toMatchObject({ state: 'half_open', remaining_ms: 0 }));
  };

  it('is half open after cooldownMs, admits one probe at a time, and closes after enough of them [breaker-half-open] [breaker-one-probe] [breaker-closes]', async () => {
    const { daemon, upstream } = await opened();
    await halfOpen(daemon);
    const probe = daemon.call('s.held');
    await eventually(() => expect(upstream.received('tools/call').at(-1)?.params.name).toBe('held'));
    const contacts = upstream.received('tools/call').length;
    const second = await daemon.call('s.echo');
    expect([second.status, second.body.error.message]).toEqual([
      503,
      'circuit for server "s" is open after 1 consecutive failures; retry in 0 ms',
    ]);
    expect(upstream.received('tools/call')).toHaveLength(contacts);
    upstream.release();
    expect((await probe).status).toBe(200);
    expect((await circuit(daemon)).state).toBe('half_open');
    expect((await daemon.call('s.echo')).status).toBe(200);
    expect(await circuit(daemon)).toEqual({ state: 'closed', consecutive_failures: 0, remaining_ms: 0 });
  });

  it('opens again for the full cooldown when a probe fails [breaker-probe-fails]', async () => {
    const { daemon } = await opened();
    await halfOpen(daemon);
    expect((await daemon.call('s.echo')).status).toBe(200);
    await fail(daemon);
    const again = await circuit(daemon);
    expect(again.state).toBe('open');
    expect(again.remaining_ms).toBeGreaterThan(cooldownMs / 2);
    expect((await daemon.call('s.echo')).status).toBe(503);
    await halfOpen(daemon);
    // The success before the failed probe no longer counts.
    expect((await daemon.call('s.echo')).status).toBe(200);
    expect((await circuit(daemon)).state).toBe('half_open');
  });
});
