// `portico init` and `portico doctor`: from AI clients to a first configuration, and what is wrong with a set-up.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { repository, startDaemon } from './support/daemon.js';
import { cliMain } from './support/mcp.js';
import { keys, openTerminal, runCli } from './support/terminal.js';
import { dead, fixture, scripted, tool } from './support/upstreams.js';
import { eventually, freePort } from './support/wait.js';

/** A process that sees no /proc: what root can make of Linux. */
const canHideProc =
  process.platform === 'linux' && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/proc']).status === 0;

const homes = join(repository, 'packages/io/config-host/src/ai-clients/testing/homes/linux');

function homeWithClients(): string {
  const home = tempFolder();
  cpSync(homes, home, { recursive: true });
  return home;
}

/** As a process that has nothing but this home. */
const inHome = (home: string) => ({
  HOME: home,
  XDG_CONFIG_HOME: '',
  XDG_STATE_HOME: '',
  CLAUDE_CONFIG_DIR: '',
  CODEX_HOME: '',
  APPDATA: '',
});

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

describe('portico init', () => {
  it('writes the file that --config names, and refuses what would have no effect', async () => {
    const home = tempFolder();
    const file = join(home, 'my.json');
    expect((await runCli(['--config', file, 'init', '--yes', '--empty'], inHome(home))).code).toBe(0);
    expect(read(file).port).toBe(9090);
    expect(await runCli(['--json', 'init', '--yes', '--empty'], inHome(home))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--json'),
    });
  });

  it('asks, shows what it will write without secrets, writes it, and attaches the clients that are chosen', async () => {
    const home = homeWithClients();
    const taken = join(home, 'taken.json');
    writeFileSync(taken, 'mine');
    const terminal = openTerminal(['init', '--output', 'taken.json'], { cwd: home, columns: 110, rows: 24 });
    await terminal.shows('Which servers shall Portico serve?');
    const [first = ''] = /\[x\] (\S+)/.exec(terminal.screen().join('\n'))?.slice(1) ?? [];
    terminal.press(' ');
    await terminal.shows(`[ ] ${first}`);
    terminal.press(keys.enter);
    await terminal.shows('> taken.json_');
    terminal.press(keys.enter);
    await terminal.shows('not possible: taken.json is there already');
    terminal.press(...Array.from('taken.json', () => '\u007f'), 'own.json');
    await terminal.shows('> own.json_');
    terminal.press(keys.enter);
    await terminal.shows('> 9090_');
    terminal.press('9', keys.enter);
    await terminal.shows('not possible: a port is a whole number');
    terminal.press('\u007f', keys.enter);
    await terminal.shows('Ask a person before tools run');
    terminal.press(keys.enter);
    await terminal.shows('from logs?');
    terminal.press('n', keys.enter);
    await terminal.shows('Report when a server changes its tools');
    terminal.press(keys.enter);
    await terminal.shows('masked here, readable by you alone');
    terminal.press(keys.enter);
    await terminal.shows('Which AI clients shall use Portico?');
    await terminal.shows(/> \[ \] Claude Desktop/);
    terminal.press(' ');
    await terminal.shows(/> \[x\] Claude Desktop/);
    terminal.press(keys.enter);
    await terminal.shows('behind Portico? [y/N]');
    terminal.press('n', keys.enter);
    expect(await terminal.exited).toBe(0);
    await terminal.shows('next: portico clients move claude-desktop');
    const written = read(join(home, 'own.json'));
    const ids = Object.keys(written.mcpServers);
    expect(ids.length).toBeGreaterThan(3);
    expect(ids).not.toContain(first);
    expect(written.lock).toEqual({ mode: 'warn' });
    expect(terminal.written()).toContain('portico lock init --config own.json');
    expect(written.policy).toEqual({ requireApproval: expect.arrayContaining(['*delete*']), redactKeys: [] });
    expect(statSync(join(home, 'own.json')).mode & 0o777).toBe(0o600);
    for (const value of secretsOf(written)) expect(terminal.written()).not.toContain(value);
    expect(readFileSync(taken, 'utf8')).toBe('mine');
    const entry = read(join(home, '.config/Claude/claude_desktop_config.json')).mcpServers.portico;
    expect(entry.args).toEqual(expect.arrayContaining(['mcp-stdio', '--config', join(home, 'own.json')]));
    await terminal.shows('attached claude-desktop');
    expect(terminal.screen().join('\n')).toContain('portico doctor --config own.json');
  });

  it('writes nothing when it is left', async () => {
    const home = tempFolder();
    const terminal = openTerminal(['init'], { cwd: home, columns: 40, rows: 10 });
    await terminal.shows('No servers were found');
    terminal.press(keys.enter);
    await terminal.shows('> mcp_servers.json_');
    terminal.press(keys.interrupt);
    expect(await terminal.exited).toBe(1);
    expect(readdirSync(home)).toEqual([]);
  });

  it('asks nothing in a script, and never replaces a file without the flag for it', async () => {
    const home = homeWithClients();
    const output = join(home, 'portico.json');
    const init = (...args: readonly string[]) => runCli(['init', '--output', output, ...args], inHome(home));
    expect(await init()).toMatchObject({ code: 2, stderr: expect.stringContaining('portico init --yes') });
    expect(await init('--yes', '--from', 'nope')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('claude-desktop'),
    });
    expect(existsSync(output)).toBe(false);
    expect((await init('--yes', '--from', 'cursor', '--port', '9191')).code).toBe(0);
    const { port, mcpServers } = read(output);
    expect([port, Object.keys(mcpServers).length > 0]).toEqual([9191, true]);
    expect(await init('--yes', '--empty')).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
    expect((await init('--yes', '--empty', '--force')).code).toBe(0);
    expect(read(output).mcpServers).toEqual({});
    expect(statSync(output).mode & 0o777).toBe(0o666 & ~process.umask());
  });
});

/** Values that only the file's owner may see. */
function secretsOf({
  mcpServers,
}: {
  readonly mcpServers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}) {
  const values = Object.values(mcpServers).flatMap(({ env = {}, headers = {} }) => [
    ...Object.values(env as object),
    ...Object.values(headers as object),
  ]);
  return values.filter((value): value is string => typeof value === 'string' && value.length > 8);
}

interface Finding {
  readonly level: string;
  readonly code: string | null;
  readonly subject: string;
  readonly message: string;
  readonly next: string | null;
  readonly details?: readonly string[];
}

async function doctor(config: unknown, { env = {}, args = [] as readonly string[], home = tempFolder() } = {}) {
  const file = join(home, 'config.json');
  if (config !== undefined) writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  const ended = await runCli(['doctor', '--json', '--config', file, ...args], { ...inHome(home), ...env });
  const findings: readonly Finding[] = JSON.parse(ended.stdout).findings;
  return { ...ended, findings, codes: findings.flatMap(({ code }) => (code === null ? [] : [code])) };
}

describe('portico doctor', () => {
  it('finds a daemon by the address that it has left, on every port', async () => {
    const home = tempFolder();
    const file = join(home, 'config.json');
    const config = { port: await freePort(), mcpServers: {} };
    writeFileSync(file, JSON.stringify(config));
    const daemon = await startDaemon(undefined, { configFile: file, stateDir: join(home, 'state') });
    const { findings } = await doctor(config, { home, args: ['--state-dir', join(home, 'state')] });
    expect(findings.find(({ subject }) => subject === 'daemon')?.message).toBe(`answers at ${daemon.url}`);
  });

  const canTell = process.platform === 'linux';
  const refused = canTell
    ? 'other users of this machine are refused'
    : 'every user of this machine is admitted: this system does not report the owner of a connection';
  const calls = canTell ? 'other users of this machine may call and not administer (access.otherUsers)' : refused;
  const byToken = 'administration needs the operator token of the state directory (access.operatorToken)';
  const byNone = `any program of this ${canTell ? 'user' : 'machine'} may administer without a token (access.operatorToken is off)`;

  it.each([
    [{}, `${refused}; ${byNone}`],
    [{ access: { operatorToken: true } }, `${refused}; ${byToken}`],
    [{ access: { otherUsers: 'calls', operatorToken: true } }, `${calls}; ${byToken}`],
    [{ authToken: 't', access: { requireTokenOnLoopback: true } }, '/v1 asks for the authToken'],
  ])('lists the admitted callers of %j', async (file, said) => {
    const { findings } = await doctor({ port: await freePort(), mcpServers: {}, ...file }, { args: ['--offline'] });
    expect(findings.find(({ subject }) => subject === 'access')?.message).toBe(said);
  });

  it('says when the kernel does not report connections', async () => {
    if (!canHideProc) {
      process.stderr.write('\nNOT RUN: doctor without /proc: no mount namespace can be made here\n\n');
      return expect(canHideProc).toBe(false);
    }
    const home = tempFolder();
    const file = join(home, 'config.json');
    writeFileSync(file, JSON.stringify({ port: await freePort(), mcpServers: {} }));
    const command = [process.execPath, cliMain, 'doctor', '--json', '--offline', '--config', file];
    const { stdout } = spawnSync(
      'unshare',
      ['-m', 'sh', '-c', `mount -t tmpfs none /proc && exec "$@"`, 'sh', ...command],
      {
        env: { ...process.env, ...inHome(home) },
        encoding: 'utf8',
      },
    );
    const findings: readonly Finding[] = JSON.parse(stdout).findings;
    const said = findings.find(({ subject }) => subject === 'access')?.message;
    expect(said).toContain('every user of this machine is admitted');
    expect(said).toContain('any program of this machine may administer');
  });

  it('finds nothing wrong with a set-up that works', async () => {
    const { server } = scripted({ tools: [tool('a'), tool('b')] });
    const { code, findings, codes } = await doctor({
      port: await freePort(),
      mcpServers: { s: server },
      audit: { filePath: 'audit.jsonl' },
    });
    expect([code, codes]).toEqual([0, []]);
    expect(findings.find(({ subject }) => subject === 'server s')?.message).toMatch(
      /^MCP 2025-11-25, 2 tools, \d+ ms$/,
    );
  });

  it('names everything that is wrong with a broken one, and the next step of each', async () => {
    const home = homeWithClients();
    mkdirSync(join(home, 'state'), { mode: 0o755 });
    chmodSync(join(home, 'state'), 0o755);
    writeFileSync(join(home, 'audit.jsonl'), '{"seq": 1}\n');
    await runCli(['init', '--yes', '--empty', '--output', join(home, 'other.json')], inHome(home));
    const daemon = await startDaemon({ mcpServers: { gone: { ...dead, resilience: { autoRestart: false } } } });
    await eventually(async () => expect((await daemon.server('gone')).status).toBe('disabled'));
    const config = {
      port: daemon.port,
      mcpServers: {
        gone: dead,
        slow: fixture(),
        keyed: { command: process.execPath, env: { KEY: 'env://NOT_SET_ANYWHERE' } },
      },
      resiliense: {},
      policy: { webhook: { url: 'http://127.0.0.1:9', secretEnv: 'NOT_SET_ANYWHERE' } },
      audit: { filePath: 'audit.jsonl' },
    };
    const { code, findings, codes } = await doctor(config, { home, args: ['--state-dir', join(home, 'state')] });
    expect(code).toBe(1);
    expect([...new Set(codes)].sort()).toEqual([
      'audit-broken',
      'config-unknown-fields',
      'environment-unset',
      'secret-unresolved',
      'server-disabled',
      'server-failed',
      'state-open-to-others',
    ]);
    expect(findings.filter(({ code: found }) => found !== null).every(({ next }) => (next ?? '').length > 10)).toBe(
      true,
    );
    const slow = findings.find(({ subject }) => subject === 'server slow');
    expect(slow?.level).toBe('ok');
  });

  it('says what keeps a file from being used, and that there is none', async () => {
    const invalid = await doctor({ mcpServers: { s: { command: 7 } } }, { args: ['--offline'] });
    expect([invalid.code, invalid.codes]).toEqual([1, ['config-invalid']]);
    expect(invalid.findings.find(({ level }) => level === 'problem')?.message).toContain('mcpServers.s.command');
    const missing = await doctor(undefined, { args: ['--offline'] });
    expect([missing.code, missing.codes]).toEqual([1, ['config-missing']]);
  });

  it('finds a damaged state database, and one that does not answer, while it reaches no server', async () => {
    const home = tempFolder();
    const state = join(home, 'state');
    mkdirSync(state, { mode: 0o700 });
    writeFileSync(join(state, 'state.db'), 'this is no database '.repeat(500));
    const config = {
      port: await freePort(),
      mcpServers: {},
      storage: { url: `postgres://ann:s3cret@127.0.0.1:${await freePort()}/x` },
    };
    const { code, findings, codes } = await doctor(config, { home, args: ['--offline', '--state-dir', state] });
    expect([code, codes]).toEqual([1, ['storage-unreachable', 'state-damaged']]);
    expect(JSON.stringify(findings)).not.toContain('s3cret');
  });

  it('shows the last five lines of a server that does not start, and what to do about one behind an address', async () => {
    const script = 'for (let n = 1; n <= 7; n += 1) console.error(`line ${n}`)';
    const url = `http://127.0.0.1:${await freePort()}/mcp`;
    const mcpServers = { talks: { command: process.execPath, args: ['-e', script] }, away: { url } };
    const { findings } = await doctor({ port: await freePort(), mcpServers });
    const of = (id: string) => findings.find(({ subject }) => subject === `server ${id}`);
    expect(of('talks')).toMatchObject({ details: [3, 4, 5, 6, 7].map((n) => `line ${n}`) });
    expect(of('away')?.next).toContain('check that the address answers from this machine');
  });

  it('explains a code, and knows which there are', async () => {
    const { code, stdout } = await runCli(['doctor', '--explain', 'port-taken']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('How to fix it')]);
    const page = readFileSync(join(repository, 'docs/troubleshooting.md'), 'utf8');
    expect(page).toContain('## port-taken');
    expect(await runCli(['doctor', '--explain', 'nope'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('port-taken'),
    });
  });
});
