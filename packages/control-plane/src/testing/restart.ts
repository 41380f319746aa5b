// Shared by tests of several runs on the same state. For tests of this package only.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { createMemoryStores } from '../memory-stores.js';
import { startConfigured } from './start-configured.js';
import { stopped } from './start-plane.js';

export type Started = Awaited<ReturnType<typeof startConfigured>>;

/** As a stop of the service and another start of it, which finds what is known of the catalog. */
export async function restart(
  before: Started,
  servers: Readonly<Record<string, MemoryServer>>,
  file: JsonObject,
  run = 2,
): Promise<Started> {
  const closed = before.plane.close(0);
  await before.clock.advance(0);
  await closed;
  const { feed, definitions } = before;
  return await startConfigured(servers, file, { ...createMemoryStores(stopped), feed, definitions }, run);
}

/** The counts of a server that the catalog determines. */
export function countsOf({ plane }: Started, id: string) {
  const found = plane.servers().find((server) => server.id === id);
  if (found === undefined) throw new Error(`there is no server "${id}"`);
  const { status, tools, resources, prompts } = found;
  return { status, tools, resources, prompts };
}
