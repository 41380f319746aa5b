// Servers that are put behind Portico for an AI client, all of them or none, and taken out again where that fails.
import { untilAborted } from '@portico/async';
import { isJsonObject, type JsonObject, PorticoError } from '@portico/contracts';
import { startDeadline } from '@portico/upstream-pool';
import { type Placed, type ServerPlacement, sayStillPlaced, toStillPlaced } from './clients/server-placement.js';
import { InvalidConfig } from './config-source.js';
import type { ConfigWriter, ConfigWriterDeps } from './config-writer.js';
import { deleteServerEdits, objectAt } from './edits.js';

/** How long an answer waits for a server's first connection. */
export const firstConnectionMs = 5000;

type Deps = Pick<ConfigWriterDeps, 'source' | 'holder' | 'known' | 'pool' | 'clock'>;

export function createPlacement(writer: ConfigWriter, { source, holder, known, pool, clock }: Deps): ServerPlacement {
  const remove: ServerPlacement['remove'] = async (by, client, servers, { hasMadeMap }) => {
    const details = { client, servers: servers.map(({ server_id }) => server_id) };
    const { gone } = await writer.change(by, { action: 'import_undo', details }, (file) => {
      const there = objectAt(file, 'mcpServers');
      const own = servers.filter(({ server_id, definition }) => isSame(there[server_id], definition));
      if (hasMadeMap && own.length === Object.keys(there).length) return [{ path: ['mcpServers'], value: undefined }];
      return own.flatMap(({ server_id }) => deleteServerEdits(file, server_id));
    });
    await gone;
    const left = servers.filter(({ server_id }) => !holder.state().config.servers.has(server_id));
    await Promise.all(left.map(({ server_id }) => pool.get(server_id) && pool.unmount(server_id, 0)));
  };

  return {
    path: source.path,
    definitions() {
      const all = Object.entries(objectAt(writer.file(), 'mcpServers'));
      return Object.fromEntries(all.filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1])));
    },
    async add(by, client, servers) {
      const details = { client, servers: servers.map(({ server_id }) => server_id) };
      let made: Placed | undefined; // undefined while the file cannot have them
      try {
        await writer.change(by, { action: 'import', details }, (file) => {
          made = undefined;
          const there = objectAt(file, 'mcpServers');
          const taken = servers.find(({ server_id }) => Object.hasOwn(there, server_id));
          if (taken !== undefined) throw new InvalidConfig([wasTaken(taken.server_id)]);
          made = { hasMadeMap: !Object.hasOwn(file, 'mcpServers') };
          return servers.map(({ server_id, definition }) => ({ path: ['mcpServers', server_id], value: definition }));
        });
      } catch (error) {
        if (made === undefined || isRefusal(error)) throw error;
        await remove(by, client, servers, made).catch((problem: unknown) => {
          throw toStillPlaced(error, sayStillPlaced(source.path, servers, problem));
        });
        throw error;
      }
      return made ?? { hasMadeMap: false };
    },
    remove,
    async attempt(id) {
      const server = holder.state().config.servers.get(id);
      if (pool.get(id) === undefined && server !== undefined) pool.mount(id, server, known.get(id, server));
      const upstream = pool.get(id);
      if (upstream === undefined) return undefined;
      const waiting = startDeadline(clock, firstConnectionMs);
      await untilAborted(upstream.attempted, waiting.signal).catch(() => {});
      waiting.stop();
      return upstream.info();
    },
  };
}

/** A file that would not do was never written. */
function isRefusal(error: unknown): boolean {
  return error instanceof PorticoError && error.code === 'INVALID_ARGS';
}

function wasTaken(id: string) {
  return { path: `mcpServers.${id}`, message: 'was configured in between; try again' };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
