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

export const driftsOf = async (daemon: Daemon) =>
  (await daemon.get<{ readonly drifts: readonly DriftView[] }>('/v1/lock/drift')).body.drifts;

/** Accepts all that differs, as `portico lock init` does. */
export async function acceptAll(daemon: Daemon): Promise<void> {
  const items = (await driftsOf(daemon)).map(({ id, digest }) => ({ id, digest }));
  expect((await daemon.post('/v1/lock/accept', { items, operator: 'ann' })).status).toBe(200);
}

/** @param servers what each lists at first, by id */
export async function startLocked(
  lock: object,
  servers: Readonly<Record<string, Definitions>>,
  more: object = {},
): Promise<Locked> {
  const folder = tempFolder();
  const upstreams = new Map<string, Scripted>(Object.entries(servers).map(([id, listed]) => [id, scripted(listed)]));
  const mcpServers = Object.fromEntries([...upstreams].map(([id, { server }]) => [id, server]));
  const place = { configFile: join(folder, 'config.json'), stateDir: join(folder, 'state') };
  const daemon = await startDaemon({ port: 0, lock, mcpServers, ...more }, place);
  await daemon.connected(...upstreams.keys());
  await acceptAll(daemon);
  return {
    daemon,
    place,
    lockFile: join(dirname(place.configFile), 'tools.lock'),
    async change(server, definitions, drifts) {
      upstreams.get(server)?.define(definitions);
      await daemon.post(`/v1/config/servers/${server}/restart`, {});
      const own = async () => (await driftsOf(daemon)).filter(({ server_id: of }) => of === server);
      await expect.poll(own, { timeout: 20_000 }).toHaveLength(drifts);
      return own();
    },
  };
}
