// Reads the stored definitions of the servers from the state database of a directory, also while a daemon uses it. It
// never writes, creates or migrates.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { StoredDefinitions } from '@portico/control-plane';
import type { Selectable } from 'kysely';
import { toStored } from './definitions.js';
import { messageOf } from './files.js';
import { driversFor, loadSqlite } from './sqlite/open-sqlite.js';
import type { DefinitionsTable } from './tables.js';

export interface KeptDefinitions {
  readonly definitions: readonly StoredDefinitions[];
  /** Why nothing could be read; undefined also where nothing is kept yet. */
  readonly problem: string | undefined;
}

/**
 * Reads what servers listed last from a state directory, without locking or changing it.
 * @param directory the state directory, which need not be there
 */
export async function readKeptDefinitions(directory: string): Promise<KeptDefinitions> {
  const file = join(resolve(directory), 'state.db');
  if (!existsSync(file)) return { definitions: [], problem: undefined };
  try {
    const open = await loadSqlite(driversFor(process.versions.node));
    const sqlite = open(file);
    try {
      sqlite.exec('pragma query_only = on');
      const rows = sqlite.prepare('select * from definitions').all([]) as readonly Selectable<DefinitionsTable>[];
      return { definitions: rows.flatMap(toStored), problem: undefined };
    } finally {
      sqlite.close();
    }
  } catch (error) {
    return { definitions: [], problem: `${file}: ${messageOf(error)}` };
  }
}
