// One lock file under two daemons, and its differences a page at a time.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DriftView } from '@portico/contracts';
import { expect, it } from 'vitest';
import { mutatingStdioPath } from '../../fixtures/src/paths.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';

interface Drifts {
  readonly total: number;
  readonly verdict: number;
  readonly drifts: readonly DriftView[];
}

const driftsOf = async (daemon: Daemon, query = '') => (await daemon.get<Drifts>(`/v1/lock/drift${query}`)).body;
const listed = async (daemon: Daemon) =>
  (await daemon.get<{ capabilities: readonly { id: string }[] }>('/v1/capabilities')).body.capabilities.map(
    ({ id }) => id,
  );
const accept = (daemon: Daemon, drifts: readonly DriftView[]) =>
  daemon.post('/v1/lock/accept', { items: drifts.map(({ id, digest }) => ({ id, digest })) });

/** Two daemons with the same lock file, and states of their own. */
async function startTwo() {
  const folder = tempFolder();
  const server = { command: process.execPath, args: [mutatingStdioPath] };
  const config = { port: 0, lock: { mode: 'enforce' }, mcpServers: { s: server } };
  const start = async (name: string) => {
    const configFile = join(folder, `${name}.json`);
    const daemon = await startDaemon(config, { configFile, stateDir: join(folder, name) });
    await daemon.connected();
    return daemon;
  };
  return { lockFile: join(folder, 'tools.lock'), daemons: [await start('a'), await start('b')] as const };
}

it('keeps what each of two daemons has accepted at the same time', async () => {
  const { daemons, lockFile } = await startTwo();
  const all = (await driftsOf(daemons[0])).drifts;
  const drifts = all.filter(({ kind }) => kind !== 'server');
  await accept(
    daemons[0],
    all.filter(({ kind }) => kind === 'server'),
  );
  for (const daemon of daemons) await expect.poll(async () => (await driftsOf(daemon)).total).toBe(drifts.length);
  const parts = [drifts.filter(({ kind }) => kind === 'tool'), drifts.filter(({ kind }) => kind !== 'tool')];
  const rounds = async () => {
    const answers = await Promise.all(daemons.map((daemon, at) => accept(daemon, parts[at] ?? [])));
    return answers.map(({ status }) => status);
  };
  const statuses = await rounds();
  for (const [at, status] of statuses.entries()) {
    if (status === 200) continue;
    const [daemon, part] = [daemons[at], parts[at]];
    if (daemon === undefined || part === undefined) throw new Error('no such daemon');
    await expect.poll(async () => (await accept(daemon, part)).status, { timeout: 20_000 }).toBe(200);
  }
  for (const daemon of daemons) {
    await expect.poll(async () => (await driftsOf(daemon)).total, { timeout: 20_000 }).toBe(0);
    expect(await listed(daemon)).toEqual(['s.control', 's.victim']);
  }
  writeFileSync(lockFile, readFileSync(lockFile, 'utf8').replace('Reads the balance.', 'Reads.'));
  for (const daemon of daemons) await expect.poll(() => listed(daemon), { timeout: 20_000 }).toEqual([]);
}, 90_000);

it('shows differences a page at a time, with the verdict on all of them', async () => {
  const { daemons } = await startTwo();
  const all = await driftsOf(daemons[0]);
  expect([all.total, all.drifts.length, all.verdict]).toEqual([5, 5, 2]);
  const page = await driftsOf(daemons[0], '?limit=2&offset=3');
  expect([page.total, page.verdict, page.drifts]).toEqual([5, 2, all.drifts.slice(3)]);
  const { status, body } = await daemons[0].get<{ error: { message: string } }>('/v1/lock/drift?limit=1001');
  expect([status, body.error.message]).toEqual([400, 'query limit: expected an integer from 1 to 1000']);
});
