// The last known definitions of servers in the state database. A power loss may take some back: they are read again.
import { setImmediate } from 'node:timers/promises';
import { parseJson, type UpstreamDefinitions } from '@portico/contracts';
import type { DefinitionStore, StoredDefinitions } from '@portico/control-plane';
import type { Selectable } from 'kysely';
import { inChunks } from './chunks.js';
import type { StateDatabase } from './database.js';
import type { DefinitionsTable } from './tables.js';

/** Creates the store of what servers listed last, from which lists are answered at a start. */
export function createDefinitionStore({ reads, write, signals }: StateDatabase): DefinitionStore {
  /** Other processes on the database may have servers that this process does not have: it only deletes its own. */
  let had: ReadonlySet<string> = new Set();
  const mayDelete = (server: string) => !signals.isShared || had.has(server);

  return {
    async load() {
      const rows = await reads.selectFrom('definitions').selectAll().execute();
      return rows.flatMap(toStored);
    },
    async save({ server, fingerprint, traits, definitions }) {
      had = new Set([...had, server]);
      const row = { fingerprint, traits: JSON.stringify(traits), definitions: await toJson(definitions) };
      await write(
        async (trx) => {
          await trx
            .insertInto('definitions')
            .values({ server, ...row })
            .onConflict((conflict) => conflict.column('server').doUpdateSet(row))
            .execute();
        },
        { isLazy: true },
      );
    },
    retain: (servers) =>
      write(
        async (trx) => {
          const all = await trx.selectFrom('definitions').select('server').execute();
          for (const { server } of all) {
            if (servers.includes(server) || !mayDelete(server)) continue;
            await trx.deleteFrom('definitions').where('server', '=', server).execute();
          }
        },
        { isLazy: true },
      ).then(() => {
        had = new Set(servers);
      }),
  };
}

/** Definitions that are written in a millisecond or two, after which everything else has its turn. */
const fewDefinitions = 100;

async function toJson(definitions: UpstreamDefinitions): Promise<string> {
  const lists: string[] = [];
  for (const [name, list] of Object.entries(definitions)) {
    if (!Array.isArray(list)) {
      lists.push(`${JSON.stringify(name)}:${JSON.stringify(list)}`);
      continue;
    }
    const parts: string[] = [];
    for (const chunk of inChunks<object>(list, fewDefinitions)) {
      if (list.length > fewDefinitions) await setImmediate();
      parts.push(JSON.stringify(chunk).slice(1, -1));
    }
    lists.push(`${JSON.stringify(name)}:[${parts.join()}]`);
  }
  return `{${lists.join()}}`;
}

/** A text that is no JSON was not written by us, and is as good as none. */
export function toStored({ traits, definitions, ...row }: Selectable<DefinitionsTable>): readonly StoredDefinitions[] {
  try {
    return [{ ...row, traits: parseJson(traits), definitions: parseJson(definitions) }];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
