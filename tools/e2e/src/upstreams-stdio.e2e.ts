// Servers that are child processes: both protocol eras, their environment, their stderr, and how they are shown.
import { beforeAll, describe, expect, it } from 'vitest';
import { type DaemonProcess, startDaemonProcess } from './support/daemon-process.js';
import { dead, fixture, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

interface Logs {
  readonly server: string;
  readonly lines: readonly { readonly timestamp: string; readonly text: string }[];
}

const ownVariables = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL', 'TERM'];

describe('a server with a command', () => {
  let daemon: DaemonProcess;

  beforeAll(async () => {
    const mcpServers = {
      legacy: fixture(),
      modern: fixture('--modern'),
      silent: fixture('--silent-on-unknown'),
      impatient: fixture('--exit-on-probe'),
      noisy: fixture('--noise'),
      chatty: scripted({ tools: [tool('echo')], stderrLines: 600 }).server,
      with_env: { ...fixture(), env: { COLOUR: 'blue', HOME: '/elsewhere' } },
      dead: { ...dead, resilience: { maxRestarts: 100 } },
    };
    daemon = await startDaemonProcess(
      { mcpServers },
      {
        args: ['--port', '0', '--log-level', 'debug'],
        env: { DAEMON_SECRET: 'do not tell', LC_TIME: 'C', HOME: '/home/of-the-daemon' },
      },
    );
    await daemon.connected(...Object.keys(mcpServers).filter((id) => id !== 'dead'));
  });

  const logs = async (id: string) => (await daemon.get<Logs>(`/v1/servers/${id}/logs`)).body;
  const texts = async (id: string) => (await logs(id)).lines.map(({ text }) => text);

  it.each([
    ['legacy', '2025-11-25'],
    ['modern', '2026-07-28'],
    ['silent', '2025-11-25'],
    ['impatient', '2025-11-25'],
  ])('speaks MCP over stdio: %s, in %s [upstream-stdio] [upstream-stdio-both-eras]', async (id, version) => {
    expect(await daemon.server(id)).toMatchObject({ transport: 'stdio', protocol_version: version });
    const { status, body } = await daemon.call(`${id}.echo`, { text: 'hello' });
    expect([status, body.data]).toEqual([200, { content: [{ type: 'text', text: 'hello' }] }]);
  });

  it('shows its process id [upstream-servers-pid]', async () => {
    const { pid } = await daemon.server('legacy');
    expect(pid).toBe((await daemon.call('legacy.whoami')).body.data.structuredContent.pid);
  });

  it("sees harmless variables and its own, nothing else of the daemon's [upstream-child-env]", async () => {
    const seen = async (id: string) => {
      const { PORTICO_PROCESS: mark, ...env } = (await daemon.call(`${id}.whoami`)).body.data.structuredContent.env;
      return { mark, env };
    };
    const { mark, env: plain } = await seen('legacy');
    const harmless = Object.entries(process.env).filter(([name]) => ownVariables.includes(name));
    expect(plain).toMatchObject({ ...Object.fromEntries(harmless), LC_TIME: 'C', HOME: '/home/of-the-daemon' });
    expect(Object.keys(plain).filter((name) => !ownVariables.includes(name) && !name.startsWith('LC_'))).toEqual([]);
    const other = await seen('with_env');
    expect(other.env).toEqual({ ...plain, COLOUR: 'blue', HOME: '/elsewhere' });
    const isMarked = process.platform === 'linux';
    expect([typeof mark, other.mark === mark]).toEqual(isMarked ? ['string', false] : ['undefined', true]);
  });

  it('is listened to on stderr, and the logs show it with its time [upstream-logs-route]', async () => {
    await eventually(async () =>
      expect(await texts('noisy')).toEqual(expect.arrayContaining(['first line', 'second line'])),
    );
    const { server, lines } = await logs('noisy');
    expect(server).toBe('noisy');
    expect(lines.map(({ timestamp }) => new Date(timestamp).toISOString())).toEqual(
      lines.map(({ timestamp }) => timestamp),
    );
  });

  it('has its stderr in the log of the daemon, never on its stdout [upstream-child-stderr]', async () => {
    await eventually(async () => expect(await texts('noisy')).toContain('second line'));
    const lines = daemon.stdout().trimEnd().split('\n');
    expect(lines[0]).toBe(`portico listening on ${daemon.url}`);
    expect(lines.filter((line) => !/^portico (listening on|access:) /.test(line))).toEqual([]);
    await eventually(() => expect(daemon.logText()).toMatch(/\{.*"server":"noisy".*second line.*\}/));
  });

  it('has its last 500 lines kept [upstream-logs-500]', async () => {
    await eventually(async () => {
      expect(await texts('chatty')).toEqual(Array.from({ length: 500 }, (_, index) => `line ${index + 101}`));
    });
  });

  it('is listed with how it is doing [upstream-servers-list] [upstream-servers-status] [upstream-servers-circuit]', async () => {
    const { status, body } = await daemon.get<{ ok: boolean; servers: { id: string; status: string }[] }>(
      '/v1/servers',
    );
    expect([status, body.ok]).toEqual([200, true]);
    expect(body.servers.map(({ id }) => id)).toEqual([
      'legacy',
      'modern',
      'silent',
      'impatient',
      'noisy',
      'chatty',
      'with_env',
      'dead',
    ]);
    expect(await daemon.server('legacy')).toEqual({
      id: 'legacy',
      transport: 'stdio',
      status: 'connected',
      protocol_version: '2025-11-25',
      pid: expect.any(Number),
      circuit: { state: 'closed', consecutive_failures: 0, remaining_ms: 0 },
      restarts: 0,
      queued: 0,
      running: 0,
      tools: 18,
      resources: 3,
      prompts: 2,
      definition_tokens: expect.any(Number),
    });
    const statuses = ['connecting', 'connected', 'degraded', 'reconnecting', 'disabled'];
    expect(body.servers.filter((server) => !statuses.includes(server.status))).toEqual([]);
  });

  it('that failed shows its last error [upstream-servers-last-error]', async () => {
    await eventually(async () => {
      expect(await daemon.server('dead')).toEqual({
        id: 'dead',
        transport: 'stdio',
        status: 'degraded',
        protocol_version: null,
        circuit: { state: 'closed', consecutive_failures: 0, remaining_ms: 0 },
        restarts: expect.any(Number),
        queued: 0,
        running: 0,
        tools: 0,
        resources: 0,
        prompts: 0,
        last_error: `cannot start "${dead.command}": command not found`,
      });
    });
  });
});
