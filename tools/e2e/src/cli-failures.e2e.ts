// Output and exit code of the command in error cases: flags, daemons, tokens, pipes.
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { portico, porticoAt, porticoProcess } from './support/cli.js';
import { startDaemon } from './support/daemon.js';
import { argsOf, cliMain, placeOf } from './support/mcp.js';
import { missingFolder } from './support/missing.js';
import { scripted, tool } from './support/upstreams.js';

const runFile = promisify(execFile);

vi.setConfig({ testTimeout: 120_000 }); // some commands are processes of their own, and the machine may be busy

describe('a process of its own ends by itself, with the exit code of its command', () => {
  it.each<[number, readonly string[], string]>([
    [0, ['server', 'list', '--json'], '{'],
    [0, ['call', 's.a', '--in-process'], 'a\n'],
    [1, ['call', 's.fail', '--in-process'], ''],
    [2, ['lst'], ''],
    [3, ['list', '--url', 'http://127.0.0.1:9'], ''],
  ])('%i: %j', async (code, args, begin) => {
    const place = placeOf({ mcpServers: { s: scripted({ tools: [tool('a'), tool('fail')] }).server } });
    const ended = await porticoProcess([...argsOf(place), ...args]);
    expect(ended).toMatchObject({ code, stdout: expect.stringContaining(begin) });
    expect(ended.stderr === '', ended.stderr).toBe(code === 0);
  });
});

describe('wrong usage exits with 2', () => {
  it.each([
    [['lst'], /unknown command 'lst'\n\(Did you mean list\?\)/],
    [['list', '--nope'], /unknown option '--nope'/],
    [['list', 'everything'], /Allowed choices are capabilities, resources, prompts/],
    [['call'], /missing required argument 'id'/],
    [['call', 's.a', 'a:={', '--url', 'http://127.0.0.1:9'], /^a: not valid JSON/],
    [['call', 's.a', 'word', '--url', 'http://127.0.0.1:9'], /"word" is no argument/],
    [['call', 's.a', '--args-file', missingFolder, '--url', 'http://127.0.0.1:9'], /^\/proc\/0: ENOENT/],
    [['search', 'x', '--limit', 'many'], /expected a whole number/],
    [['list', '--url', 'localhost'], /"localhost" is no address of a daemon/],
    [['list', '--config', `${missingFolder}/portico.json`], /there is no such file/],
  ])('%j', async (args, message) => {
    expect(await portico(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  });

  it('and says what is wrong with a configuration file', async () => {
    const file = join(tempFolder(), 'bad.json');
    writeFileSync(file, '{"mcpServers": {"a.b": {}}}');
    const refused = expect.stringMatching(/mcpServers\["a\.b"\]/);
    expect(await portico(['validate', file])).toMatchObject({ code: 2, stdout: '', stderr: refused });
    expect((await portico(['validate', file, '--json'])).json()).toMatchObject({ ok: false, issues: [{}] });
  });
});

describe('without a daemon', () => {
  it('exits with 3 and says how to start one', async () => {
    const said = expect.stringMatching(
      /^no daemon answers at http:\/\/127\.0\.0\.1:9 .*there is no mcp_servers\.json either: write one with "portico init"/,
    );
    expect(await portico(['list', '--url', 'http://127.0.0.1:9'])).toMatchObject({ code: 3, stdout: '', stderr: said });
    const env = { PORTICO_URL: 'http://127.0.0.1:9' };
    expect(await portico(['server', 'list'], { env })).toMatchObject({ code: 3, stderr: said });
  });
});

describe('a daemon with roles', () => {
  it('gets the token, and says to those without what they need', async () => {
    const rbac = { roles: { ops: { admin: true } }, tokens: [{ role: 'ops', token: 'right' }] };
    const place = placeOf({ mcpServers: {}, rbac });
    const daemon = await startDaemon(undefined, place);
    const at = porticoAt(place);
    const refused = { code: 1, stdout: '', stderr: expect.stringMatching(/^POLICY_DENIED: .*\n.*PORTICO_TOKEN/) };
    expect(await at(['list'])).toMatchObject(refused);
    expect(await at(['list', '--token', 'wrong'])).toMatchObject(refused);
    const odd = await at(['list', '--token', 'odd\ntoken']);
    expect([odd.code, odd.stderr.includes('odd')]).toEqual([2, false]);
    expect((await at(['list', '--token', 'right'])).code).toBe(0);
    expect((await at(['config', 'show'], { env: { PORTICO_TOKEN: 'right' } })).code).toBe(0);
    expect((await portico(['list', '--url', daemon.url, '--token', 'right'])).code).toBe(0);
  });
});

describe('pipes', () => {
  it('are quiet, and may be closed early', async () => {
    const place = placeOf({ mcpServers: { s: scripted({ tools: [tool('a'), tool('b')] }).server } });
    const daemon = await startDaemon(undefined, place);
    await daemon.connected();
    const at = porticoAt(place);
    expect((await at(['list'])).stdout).not.toContain('\u001b');
    expect((await at(['list'], { env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001b[1mID');
    expect((await at(['list'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stdout).not.toContain('\u001b');
    const script = '"$0" "$1" audit export --url "$2" | true; echo "${PIPESTATUS[0]}"';
    const ended = await runFile('bash', ['-c', script, process.execPath, cliMain, daemon.url]);
    expect(ended).toMatchObject({ stdout: '0\n', stderr: '' });
  });
});

describe('the command in a process of another user', () => {
  it('leaves no listeners there', () => {
    const script = `const { runCommand } = await import(process.argv[1]);
const count = () => [process.listenerCount('SIGINT'), process.stdout.listenerCount('error')].join();
const before = count();
const code = await runCommand(['__complete', '--', 'nothing']);
process.stdout.write(code + ' ' + (count() === before));`;
    const index = pathToFileURL(join(dirname(cliMain), 'index.js')).href;
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script, index], { encoding: 'utf8' });
    expect([ended.stdout, ended.stderr]).toEqual(['0 true', '']);
  });
});

describe('completion', () => {
  it('knows commands, flags and values', async () => {
    const suggested = async (...words: readonly string[]) =>
      (await portico(['__complete', '--', ...words])).stdout.trim().split('\n');
    expect(await suggested('ser')).toEqual(['service', 'server']);
    expect(await suggested('approvals', 'list', '--status', 'p')).toEqual(['pending']);
    expect(await suggested('audit', 'verify', '--h')).toEqual(['--head', '--help']);
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect((await portico(['completion', shell])).stdout).toContain('portico __complete');
    }
  });

  it('works in bash', async () => {
    const script = [
      'portico() { "$NODE" "$CLI" "$@"; }; eval "$(portico completion bash)"',
      'COMP_WORDS=(portico server re); COMP_CWORD=2; _portico; echo "${COMPREPLY[@]}"',
    ].join('\n');
    const env = { ...process.env, NODE: process.execPath, CLI: cliMain };
    expect(spawnSync('bash', ['-c', script], { encoding: 'utf8', env }).stdout).toBe('remove restart\n');
  });
});
