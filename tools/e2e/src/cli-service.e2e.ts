// `portico service` on Linux: what is written for systemd, which commands it is given, and that nothing is lost by doing it
// again. systemctl is a script of the test.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { portico } from './support/cli.js';
import { cliMain } from './support/mcp.js';

const isLinux = process.platform === 'linux';

interface Setup {
  readonly unit: string;
  readonly config: string;
  /** Calls of systemctl since the last time. */
  calls(): readonly string[];
  run(...args: readonly string[]): ReturnType<typeof portico>;
}

/** @param folder of the configuration, with a secret in it */
function setUp(folder = 'home'): Setup {
  const home = join(tempFolder(), folder);
  const programs = join(home, 'bin');
  mkdirSync(programs, { recursive: true });
  const config = join(home, 'mcp_servers.json');
  writeFileSync(config, JSON.stringify({ port: 0, mcpServers: {}, authToken: 'the-secret' }));
  const log = join(home, 'calls');
  const script = `#!/bin/sh
echo "$*" >> '${log}'
case "$*" in
  *restart*) touch '${home}/active' ;;
  *disable*) rm -f '${home}/active' ;;
  *is-active*) test -e '${home}/active' ;;
esac
`;
  writeFileSync(join(programs, 'systemctl'), script, { mode: 0o755 });
  let seen = 0;
  return {
    unit: join(home, '.config/systemd/user/portico.service'),
    config,
    calls() {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
      const fresh = lines.slice(seen);
      seen = lines.length;
      return fresh;
    },
    run: (...args) => {
      const env = { HOME: home, PATH: `${programs}${delimiter}${process.env.PATH}`, A_SECRET: 'the-variable' };
      return portico(['service', ...args], { cwd: home, env });
    },
  };
}

describe.runIf(isLinux)('a service of systemd', () => {
  it('is installed, started, looked at and removed', async () => {
    const { unit, config, calls, run } = setUp();
    expect(await run('status')).toMatchObject({ code: 1, stdout: 'the service is not installed\n' });
    expect(await run('install')).toMatchObject({ code: 0, stdout: `${unit}: installed and started\n` });
    expect(calls()).toEqual([
      '--user daemon-reload',
      '--user enable portico.service',
      '--user restart portico.service',
    ]);
    const text = readFileSync(unit, 'utf8');
    expect(text).toContain(`\nExecStart="${process.execPath}" "${cliMain}" "daemon" "--config" "${config}"\n`);
    expect(text).not.toMatch(/the-secret|the-variable/);
    expect(await run('status')).toMatchObject({ code: 0, stdout: 'the service runs\n' });
    calls();

    const { mtimeMs } = statSync(unit);
    expect(await run('install')).toMatchObject({ code: 0, stdout: `${unit}: is installed and runs\n` });
    expect([calls(), statSync(unit).mtimeMs]).toEqual([['--user is-active --quiet portico.service'], mtimeMs]);

    expect(await run('uninstall')).toMatchObject({ code: 0, stdout: `${unit}: removed\n` });
    expect(calls()).toEqual(['--user disable --now portico.service', '--user daemon-reload']);
    expect([existsSync(unit), existsSync(config)]).toEqual([false, true]);
    expect(await run('uninstall')).toMatchObject({ code: 0, stdout: `${unit}: was not there\n` });
  });

  it('only prints with --dry-run, and is not written for a configuration that cannot be used', async () => {
    const { unit, config, calls, run } = setUp();
    const printed = await run('install', '--dry-run', '--state-dir', 'state');
    expect(printed.stdout).toContain(`"--config" "${config}" "--state-dir" "${join(config, '../state')}"\n`);
    writeFileSync(config, '{"mcpServers": {}, "polcy": {}}');
    expect(await run('install')).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "policy"?') });
    expect([existsSync(unit), calls()]).toEqual([false, []]);
  });

  const hasVerifier = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.runIf(hasVerifier)('has a unit that systemd accepts, also with odd characters in paths', async () => {
    const { unit, run } = setUp('a "b" $HOME %h \\ c');
    expect((await run('install')).code).toBe(0);
    expect(readFileSync(unit, 'utf8')).toContain('a \\"b\\" $$HOME %%h \\\\ c/mcp_servers.json"');
    const runtime = tempFolder();
    const said = spawnSync('systemd-analyze', ['--user', 'verify', unit], {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: runtime },
    });
    expect(`${said.stdout}${said.stderr}`).not.toMatch(/portico\.service/);
  });

  it('says what is left to do where the service manager cannot be reached', async () => {
    const { unit, run } = setUp();
    const broken = "#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n";
    writeFileSync(join(unit, '../../../../bin/systemctl'), broken, { mode: 0o755 });
    const ended = await run('install');
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(`${unit} is written and not started: Failed to connect to bus`);
    expect(ended.stderr).toContain('systemctl --user enable portico.service');
    expect(execFileSync('head', ['-1', unit], { encoding: 'utf8' })).toBe('[Unit]\n');
  });
});
