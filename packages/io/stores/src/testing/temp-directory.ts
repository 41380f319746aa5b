// State directories of tests. `removeAll` closes what was opened in them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenStateOptions, openStateDatabase, type StateDatabase } from '../database.js';

export function createTempDirectories() {
  const paths: string[] = [];
  const databases: StateDatabase[] = [];
  const create = async (): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), 'portico-stores-'));
    paths.push(path);
    return path;
  };
  return {
    create,
    /** In a new directory unless one is given. */
    async openDatabase(directory?: string, options?: OpenStateOptions): Promise<StateDatabase> {
      const database = await openStateDatabase(directory ?? (await create()), options);
      databases.push(database);
      return database;
    },
    async removeAll(): Promise<void> {
      for (const database of databases.splice(0)) await database.close();
      for (const path of paths.splice(0)) await rm(path, { recursive: true, force: true });
    },
  };
}
