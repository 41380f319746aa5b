// Databases of tests on one PostgreSQL server, which is started for the first one. Each test gets the same one, emptied,
// and others where it wants more. `close` ends the server.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { StateDatabase } from '../database.js';
import { openPostgresDatabase } from '../postgres/open-postgres.js';
import { tableNames } from '../tables.js';
import { openPostgresServer, type PostgresServer } from './postgres-server.js';

export const noLog = () => {};
/** Time limit for the start of the server on a busy machine. */
export const startLimitMs = 60_000;

/** As another daemon each time. */
const openDatabase = (url: string) =>
  openPostgresDatabase({ url, log: noLog, version: '1.0.0', stateDirectory: randomUUID() });

export function createPostgresDatabases() {
  let starting: Promise<{ readonly server: PostgresServer; readonly template: string }> | undefined;
  let shared: Promise<StateDatabase> | undefined;
  let isTaken = false;
  const opened: StateDatabase[] = [];

  const start = async () => {
    const server = await openPostgresServer();
    const template = await server.createDatabase();
    await (await openDatabase(server.url(template))).close();
    return { server, template };
  };
  const started = () => {
    starting ??= start();
    return starting;
  };
  /** The address of a database that has the tables and nothing in them. */
  const create = async (): Promise<string> => {
    const { server, template } = await started();
    return server.url(await server.createDatabase(template));
  };
  const openShared = async (): Promise<StateDatabase> => {
    shared ??= create().then(openDatabase);
    const database = await shared;
    const tables = sql.join(tableNames.filter((name) => name !== 'daemons').map((name) => sql.table(name)));
    await sql`truncate ${tables} restart identity`.execute(database.reads);
    return database;
  };

  return {
    /** Before all tests: it takes longer than a test may. */
    start: async () => void (await started()),
    server: async () => (await started()).server,
    create,
    async open(url?: string): Promise<StateDatabase> {
      if (url === undefined && !isTaken) {
        isTaken = true;
        return openShared();
      }
      const database = await openDatabase(url ?? (await create()));
      opened.push(database);
      return database;
    },
    /** After each test. */
    async closeAll(): Promise<void> {
      isTaken = false;
      for (const database of opened.splice(0)) await database.close();
    },
    /** After all tests. */
    async close(): Promise<void> {
      await (await shared?.catch(() => undefined))?.close();
      await (await starting?.catch(() => undefined))?.server.close();
    },
  };
}
