// Where the durable state lives, who may read it, and that one process at a time uses it.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { runDaemon, startDaemonProcess } from './support/daemon-process.js';
import { scripted, tool } from './support/upstreams.js';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const modes = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, mode(join(folder, name))]));
const empty = { mcpServers: {} };
const config = () => ({ mcpServers: { s: scripted({ tools: [tool('echo')] }).server } });

async function use(daemon: Daemon): Promise<void> {
  await daemon.connected();
  expect((await daemon.call('s.echo', {}, { idempotency_key: 'k' })).status).toBe(200);
}

describe('the state directory', () => {
  it('and its files are the business of their owner alone [daemon-state-dir]', async () => {
    const stateDir = join(tempFolder(), 'made', 'by', 'portico');
    const daemon = await startDaemon(config(), { stateDir });
    await use(daemon);
    expect(mode(stateDir)).toBe('700');
    const found = modes(stateDir);
    expect(Object.keys(found)).toEqual(expect.arrayContaining(['lock', 'state.db']));
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, '600'])));
    await daemon.stop();
    expect(modes(stateDir)).toEqual({ 'audit-digest-key': '600', 'state.db': '600' });
  });

  it('is closed to others though it was open before [daemon-state-dir]', async () => {
    const stateDir = tempFolder();
    await (await startDaemon(config(), { stateDir })).stop();
    chmodSync(stateDir, 0o755);
    chmodSync(join(stateDir, 'state.db'), 0o644);
    const daemon = await startDaemon(config(), { stateDir });
    await use(daemon);
    expect([mode(stateDir), ...new Set(Object.values(modes(stateDir)))]).toEqual(['700', '600']);
  });

  it.each([
    ['$XDG_STATE_HOME/portico', (home: string) => ({ XDG_STATE_HOME: join(home, 'xdg') }), 'xdg/portico'],
    ['~/.local/state/portico', (home: string) => ({ XDG_STATE_HOME: '', HOME: home }), '.local/state/portico'],
  ])('is one for each config path, in %s without --state-dir [daemon-state-dir]', async (_, environment, path) => {
    const home = tempFolder();
    const env = environment(home);
    for (const name of ['one.json', 'two.json']) writeFileSync(join(home, name), JSON.stringify(empty));
    // Beside them is the list of the daemons that run.
    const names = () => readdirSync(join(home, path)).filter((name) => name !== 'daemons');
    const args = ['--port', '0', '--config', 'one.json'];
    await (await startDaemonProcess(undefined, { args, env, cwd: home, stateDir: null })).stop();
    const [first] = names();
    expect(names()).toEqual([expect.stringMatching(/^[0-9a-f]+$/)]);
    expect(modes(join(home, path, first ?? ''))).toEqual({ 'audit-digest-key': '600', 'state.db': '600' });
    expect(mode(join(home, path, first ?? ''))).toBe('700');
    const run = (name: string) => startDaemon(undefined, { configFile: join(home, name), env, stateDir: null });
    await (await run('one.json')).stop(); // the same path, written in full
    expect(names()).toEqual([first]);
    await run('two.json');
    await run('one.json'); // beside the other: each has its own lock
    expect(names()).toHaveLength(2);
  });

  it('that is in use is refused to a second daemon with 2, which names the process [daemon-state-in-use]', async () => {
    const stateDir = tempFolder();
    const first = await startDaemonProcess(config(), { stateDir });
    await use(first);
    const { code, stdout, stderr } = await runDaemon(empty, { stateDir });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`in use by process ${first.pid}`);
    expect(stderr).toContain(stateDir);
    const { status, headers } = await first.call('s.echo', {}, { idempotency_key: 'k' });
    expect([status, headers['x-service-deduplicated']]).toEqual([200, 'true']);
    await first.stop();
    expect((await (await startDaemon(empty, { stateDir })).get('/readyz')).status).toBe(200);
  });

  it('lets one of eight daemons in that start at once, also after one was killed in it [daemon-state-in-use]', async () => {
    const stateDir = tempFolder();
    const killed = await startDaemonProcess(empty, { stateDir });
    await killed.stop('SIGKILL');
    expect(existsSync(join(stateDir, 'lock'))).toBe(true);
    const started = await Promise.allSettled(Array.from({ length: 8 }, () => startDaemonProcess(empty, { stateDir })));
    const running = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(running).toHaveLength(1);
    for (const one of started) {
      if (one.status === 'rejected')
        expect(String(one.reason)).toMatch(new RegExp(`ended with 2 .*process ${running[0]?.pid}`, 's'));
    }
    expect((await running[0]?.get('/readyz'))?.status).toBe(200);
  });

  it('that is a file is refused with 2 [daemon-state-dir]', async () => {
    const stateDir = join(tempFolder(), 'file');
    writeFileSync(stateDir, 'mine');
    const { code, stderr } = await runDaemon(empty, { stateDir });
    expect([code, readFileSync(stateDir, 'utf8')]).toEqual([2, 'mine']);
    expect(stderr).toContain(stateDir);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('the state database', () => {
  it('that is garbage is refused with 2 and a clear message, and left as it was [daemon-readyz-state] [daemon-state-dir]', async () => {
    const stateDir = join(tempFolder(), 'state');
    mkdirSync(stateDir);
    const file = join(stateDir, 'state.db');
    const garbage = 'this is no database\n'.repeat(1000);
    writeFileSync(file, garbage);
    const { code, stdout, stderr } = await runDaemon(empty, { stateDir });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`state database ${file} cannot be opened: it is no SQLite database`);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect([readFileSync(file, 'utf8'), readdirSync(stateDir)]).toEqual([garbage, ['state.db']]);
  });

  it('that is damaged inside is refused with 2, too [daemon-readyz-state]', async () => {
    const stateDir = tempFolder();
    await (await startDaemon(empty, { stateDir })).stop();
    const file = join(stateDir, 'state.db');
    const damaged = readFileSync(file);
    damaged.fill(0xff, 100); // all but the header
    writeFileSync(file, damaged);
    const { code, stderr } = await runDaemon(empty, { stateDir });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`state database ${file} cannot be opened`)]);
    expect(readFileSync(file).equals(damaged)).toBe(true);
  });

  it('is open when the service says that it is ready [daemon-readyz-state]', async () => {
    const daemon = await startDaemon(config());
    const { status, body } = await daemon.get<{ ok: boolean; servers: object }>('/readyz');
    expect([status, body]).toEqual([200, { ok: true, servers: { s: expect.any(String) } }]);
  });
});
