// The lock of definitions over real processes: every change of a server is held until a person accepts it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DriftView } from '@portico/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { mutatingStdioPath } from '../../fixtures/src/paths.js';
import { tempFolder } from './support/cleanup.js';
import { porticoAt } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';

interface Shown {
  readonly id: string;
  readonly class: string;
  readonly held: boolean;
}

/** A daemon in front of the server that mutates, with a lock of what it lists at first. */
async function start(lock: object = { mode: 'enforce' }) {
  const folder = tempFolder();
  const place = { configFile: join(folder, 'config.json'), stateDir: join(folder, 'state') };
  const lockFile = join(folder, 'tools.lock');
  const mutationFile = join(folder, 'mutation');
  const server = { command: process.execPath, args: [mutatingStdioPath], env: { MUTATION_FILE: mutationFile } };
  const daemon = await startDaemon({ port: 0, lock, mcpServers: { s: server } }, place);
  await daemon.connected();
  const portico = porticoAt(place);
  const init = await portico(['--url', daemon.url, 'lock', 'init', '--operator', 'ann']);
  expect([init.code, init.stderr]).toEqual([0, '']);
  return { daemon, place, lockFile, mutationFile, portico };
}

const driftsOf = async (daemon: Daemon) =>
  (await daemon.get<{ drifts: readonly DriftView[] }>('/v1/lock/drift')).body.drifts;
const shownIn = async (daemon: Daemon): Promise<readonly Shown[]> =>
  (await driftsOf(daemon)).map(({ id, class: found, held }) => ({ id, class: found, held }));
const call = async (daemon: Daemon, name: string, args: object = {}) =>
  (await daemon.post<Record<string, unknown>>('/v1/tools/call', { capability_id: `s.${name}`, args })).body;
const listed = async (daemon: Daemon) =>
  (await daemon.get<{ capabilities: readonly { id: string }[] }>('/v1/capabilities')).body.capabilities.map(
    ({ id }) => id,
  );

describe('a server that changes its definitions while it runs', () => {
  let daemon: Daemon;
  beforeAll(async () => {
    ({ daemon } = await start());
  });

  it.each<[string, string, string]>([
    ['title', 'tool:s.victim', 'description'],
    ['description', 'tool:s.victim', 'description'],
    ['argument_words', 'tool:s.victim', 'description'],
    ['new_argument', 'tool:s.victim', 'widened'],
    ['looser_enum', 'tool:s.victim', 'widened'],
    ['output', 'tool:s.victim', 'output'],
    ['annotations', 'tool:s.victim', 'annotation_weakened'],
    ['meta', 'tool:s.victim', 'description'],
    ['hidden', 'tool:s.victim', 'suspicious'],
    ['new_tool', 'tool:s.victim2', 'new'],
    ['renamed', 'tool:s.victim_renamed', 'renamed'],
    ['prompt', 'prompt:s.ask', 'description'],
    ['template', 'resource_template:s.file:///{path}', 'description'],
  ])(
    '%s is held',
    async (mutation, id, found) => {
      await call(daemon, 'control', { mutation });
      await expect.poll(() => shownIn(daemon), { timeout: 40_000 }).toContainEqual({ id, class: found, held: true });
      const [kind = '', name = ''] = id.split(/:s\.(.*)/);
      const asked = {
        tool: () => call(daemon, name),
        prompt: async () => (await daemon.post('/v1/prompts/get', { prompt_id: `s.${name}` })).body,
        resource_template: async () => (await daemon.post('/v1/resources/read', { resource_id: 's.file:///x' })).body,
      }[kind];
      expect(await asked?.()).toMatchObject({
        ok: false,
        error: { code: 'POLICY_DENIED', reason: expect.stringMatching(/^definition_/) },
      });
      if (kind === 'tool') expect(await listed(daemon)).not.toContain(`s.${name}`);
      await call(daemon, 'control', { mutation: 'none' });
      await expect.poll(() => shownIn(daemon), { timeout: 40_000 }).toEqual([]);
    },
    90_000,
  );

  it('received no call while it differed', async () => {
    expect(await call(daemon, 'victim')).toMatchObject({ ok: true, data: { structuredContent: { called: 1 } } });
  });
});

describe('a server that is another after its restart', () => {
  it.each([
    ['instructions', 'description'],
    ['server_name', 'identity'],
  ])(
    'with other %s is held as a whole, until that is accepted',
    async (mutation, found) => {
      const { daemon, mutationFile, portico } = await start();
      writeFileSync(mutationFile, mutation);
      await daemon.post('/v1/config/servers/s/restart', {});
      await expect
        .poll(() => shownIn(daemon), { timeout: 20_000 })
        .toEqual([{ id: 'server:s', class: found, held: true }]);
      expect(await listed(daemon)).toEqual([]);
      expect(await call(daemon, 'victim')).toMatchObject({ error: { reason: 'definition_changed' } });
      const diff = await portico(['--url', daemon.url, 'lock', 'diff']);
      expect([diff.code, diff.stdout]).toEqual([
        found === 'identity' ? 12 : 11,
        expect.stringContaining('server:s  held'),
      ]);
      expect((await portico(['--url', daemon.url, 'lock', 'accept', 'server:s'])).code).toBe(0);
      expect(await listed(daemon)).toEqual(['s.control', 's.victim']);
    },
    60_000,
  );
});

it('refuses what was reviewed and is another by now, and who is no admin has no way to accept', async () => {
  const { daemon } = await start();
  await call(daemon, 'control', { mutation: 'title' });
  await expect.poll(() => shownIn(daemon), { timeout: 20_000 }).toHaveLength(1);
  const answer = await daemon.post<{ error: { message: string } }>('/v1/lock/accept', {
    items: [{ id: 'tool:s.victim', digest: '0'.repeat(64) }],
  });
  expect([answer.status, answer.body.error.message]).toEqual([409, expect.stringContaining('review it again')]);
});

it('is not ready while the lock cannot be used, says why, and serves again once it can', async () => {
  const { daemon, lockFile } = await start();
  const text = readFileSync(lockFile, 'utf8');
  writeFileSync(lockFile, text.replace('Reads the balance.', 'Reads it.'));
  const ready = async () =>
    (await daemon.get<{ error?: { message: string } }>('/readyz')).body.error?.message ?? 'ready';
  await expect
    .poll(ready, { timeout: 10_000 })
    .toMatch(/nothing is served: .*servers\.s\.tools\.victim was changed by hand/);
  expect(await listed(daemon)).toEqual([]);
  writeFileSync(lockFile, text);
  await expect.poll(ready, { timeout: 10_000 }).toBe('ready');
  expect(await listed(daemon)).toEqual(['s.control', 's.victim']);
});

it('compares what an earlier run has kept before it lists it', async () => {
  const { daemon, place, lockFile } = await start();
  await daemon.stop();
  const text = readFileSync(lockFile, 'utf8');
  writeFileSync(lockFile, '{}');
  const again = await startDaemon(undefined, place);
  expect(await listed(again)).toEqual([]);
  writeFileSync(lockFile, text);
  await expect.poll(() => listed(again), { timeout: 10_000 }).toEqual(['s.control', 's.victim']);
});

it('fails a script of a pull request while the lock is stale, without a daemon', async () => {
  const { daemon, place, portico, lockFile } = await start({ mode: 'warn' });
  await daemon.stop();
  const verify = () => portico(['lock', 'verify', '--offline']);
  expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringContaining('the same as the lock') });
  const config = JSON.parse(readFileSync(place.configFile, 'utf8'));
  config.mcpServers.s.args.push('--next');
  writeFileSync(place.configFile, JSON.stringify(config));
  const stale = await verify();
  expect([stale.code, stale.stdout]).toEqual([
    12,
    expect.stringMatching(/identity {2}server:s: program\n.*1 difference, dangerous/),
  ]);
  const accepted = await portico(['lock', 'accept', '--all', '--offline', '--operator', 'bob']);
  expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringContaining('accepted server:s')]);
  expect(readFileSync(lockFile, 'utf8')).toContain('"by": "bob"');
  expect((await verify()).code).toBe(0);
  writeFileSync(lockFile, `<<<<<<< HEAD\n${readFileSync(lockFile, 'utf8')}`);
  expect(await verify()).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('line 1 is a conflict of a merge'),
  });
});

it('writes no lock over one that is there, and none if the lock is off', async () => {
  const { daemon, portico } = await start();
  const again = await portico(['--url', daemon.url, 'lock', 'init']);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is there already: see portico lock diff')]);
});
