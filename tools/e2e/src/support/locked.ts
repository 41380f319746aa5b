// A daemon whose servers are locked, and servers that list something else later.

import { dirname, join } from 'node:path';
import type { DriftView } from '@portico/contracts';
import { expect } from 'vitest';
import { tempFolder } from './cleanup.js';
import { type Daemon, startDaemon } from './daemon.js';
import { type Definitions, type Scripted, scripted } from './upstreams.js';

export interface Locked {
  readonly daemon: Daemon;
  readonly lockFile: string;
  readonly place: { readonly configFile: string; readonly stateDir: string };
  /** Has a server list this from its restart on, and waits until it differs from the lock in this number of definitions. */
  change(server: string, definitions: Definitions, drifts: number): Promise<readonly DriftView[]>;
}

type Headers = Readonly<Record<string, string>>;

export const driftsOf = async (daemon: Daemon, as: Headers = {}) =>
  (await daemon.get<{ readonly drifts: readonly DriftView[] }>('/v1/lock/drift', as)).body.drifts ?? [];

/** Accepts all that differs, as `portico lock init` does. */
async function acceptAll(daemon: Daemon, as: Headers): Promise<void> {
  const items = (await driftsOf(daemon, as)).map(({ id, digest }) => ({ id, digest }));
  expect((await daemon.post('/v1/lock/accept', { items, operator: 'ann' }, as)).status).toBe(200);
}

/** @param servers what each lists at first, by id @param as headers of an administrator */
export async function startLocked(
  lock: object,
  servers: Readonly<Record<string, Definitions>>,
  more: object = {},
  as: Headers = {},
): Promise<Locked> {
  const folder = tempFolder();
  const upstreams = new Map<string, Scripted>(Object.entries(servers).map(([id, listed]) => [id, scripted(listed)]));
  const mcpServers = Object.fromEntries([...upstreams].map(([id, { server }]) => [id, server]));
  const place = { configFile: join(folder, 'config.json'), stateDir: join(folder, 'state') };
  const daemon = await startDaemon({ port: 0, lock, mcpServers, ...more }, place);
  const listed = async () =>
    (await driftsOf(daemon, as)).filter(({ kind }) => kind === 'tool').map((each) => each.server_id);
  await expect.poll(listed, { timeout: 20_000 }).toEqual(expect.arrayContaining([...upstreams.keys()]));
  await acceptAll(daemon, as);
  return {
    daemon,
    place,
    lockFile: join(dirname(place.configFile), 'tools.lock'),
    async change(server, definitions, drifts) {
      upstreams.get(server)?.define(definitions);
      await daemon.post(`/v1/config/servers/${server}/restart`, {}, as);
      const own = async () => (await driftsOf(daemon, as)).filter(({ server_id: of }) => of === server);
      await expect.poll(own, { timeout: 20_000 }).toHaveLength(drifts);
      return own();
    },
  };
}
