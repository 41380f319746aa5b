// Commands find the daemon from any folder: by the user's configuration, and by the list of the user's daemons.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type CliOptions, portico } from './support/cli.js';
import { type DaemonProcess, startDaemonProcess } from './support/daemon-process.js';

const config = (name: string) => ({
  port: 0,
  access: { operatorToken: true },
  mcpServers: {},
  profiles: { [name]: { servers: [] } },
});

let home: string;
let env: Readonly<Record<string, string>>;
const folder = (name: string) => join(home, name);
const runtime = () => join(home, 'run');

beforeEach(() => {
  home = tempFolder();
  for (const name of ['empty', 'a', 'b', 'run', '.config/portico']) mkdirSync(folder(name), { recursive: true });
  env = { HOME: home, XDG_RUNTIME_DIR: runtime() };
});

/** Starts a daemon with the configuration in a folder of the home, which has a profile by the name of that folder. */
function start(name: string): Promise<DaemonProcess> {
  const configFile = join(folder(name), 'mcp_servers.json');
  writeFileSync(configFile, JSON.stringify(config(name.replaceAll(/\W/g, ''))));
  return startDaemonProcess(undefined, { configFile, stateDir: null, env });
}

/** The profiles that an administration command finds at its daemon. */
async function profilesFrom(name: string, args: readonly string[] = [], options: CliOptions = {}) {
  const ended = await portico(['config', 'profile', 'list', '--json', ...args], {
    cwd: folder(name),
    env: { ...env, ...options.env },
  });
  return ended.code === 0 ? Object.keys(ended.json<{ profiles: object }>().profiles) : ended;
}

describe('a command in a folder without a configuration', () => {
  it('speaks to the one daemon that runs, with its token', async () => {
    const daemon = await start('a');
    expect(readdirSync(join(runtime(), 'portico'))).toHaveLength(1);
    expect(await profilesFrom('empty')).toEqual(['a']);
    expect(await profilesFrom('empty', ['--url', daemon.url])).toEqual(['a']);
    await daemon.stop();
    expect(readdirSync(join(runtime(), 'portico'))).toEqual([]);
    expect(await profilesFrom('empty')).toMatchObject({ code: 3 });
  });

  it('finds it without a runtime directory too, and not after it was killed', async () => {
    env = { HOME: home, XDG_RUNTIME_DIR: '' };
    const daemon = await start('a');
    expect(await profilesFrom('empty')).toEqual(['a']);
    process.kill(daemon.pid, 'SIGKILL');
    await daemon.exited;
    const list = join(home, '.local/state/portico/daemons');
    expect(await profilesFrom('empty')).toMatchObject({ code: 3 });
    expect(readdirSync(list)).toEqual([]);
  });

  it('of several asks for one, and names them', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const refused = await profilesFrom('empty');
    const { stderr, stdout } = refused as Extract<typeof refused, { readonly stderr: string }>;
    expect(refused).toMatchObject({ code: 2 });
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: null }, exit_code: 2 });
    expect(stderr).toContain('several daemons run; name one with --config FILE or --url URL:');
    for (const { url } of [a, b]) expect(stderr).toContain(url);
    expect(await profilesFrom('empty', ['--url', b.url])).toEqual(['b']);
    expect(await profilesFrom('empty', ['--config', join(folder('a'), 'mcp_servers.json')])).toEqual(['a']);
  });
});

it('a command in a folder with a configuration speaks to the daemon of that', async () => {
  await start('a');
  await start('b');
  expect(await profilesFrom('a')).toEqual(['a']);
  expect(await profilesFrom('b')).toEqual(['b']);
});

it('the configuration of the user is the default, for commands and for the daemon', async () => {
  await start('.config/portico');
  await start('a');
  expect(await profilesFrom('empty')).toEqual(['configportico']);
  const file = join(home, '.config/portico/mcp_servers.json');
  const validated = await portico(['validate'], { cwd: folder('empty'), env });
  expect(validated.stdout).toContain(`${file}: valid`);
  rmSync(file);
  expect((await portico(['validate'], { cwd: folder('empty'), env })).stderr).toContain('empty/mcp_servers.json');
});
