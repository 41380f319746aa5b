// A real PostgreSQL server of a test, and what is asked of it besides the product.
import pg from 'pg';
import { openPostgresServer, type PostgresServer } from '../../../../packages/io/stores/src/testing/postgres-server.js';
import { onCleanup } from './cleanup.js';

export type { PostgresServer };

export const databasePassword = 'canary-database-password';

/** Ended with the test or the file. */
export async function startPostgres(): Promise<PostgresServer> {
  const server = await openPostgresServer(databasePassword);
  onCleanup(server.close);
  return server;
}

/** Rows of one statement. */
export async function query(url: string, statement: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query(statement).finally(() => client.end())).rows;
}
