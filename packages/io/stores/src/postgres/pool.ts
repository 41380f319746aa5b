// Connections to PostgreSQL for Kysely. A broken connection is not used again, an idle connection that breaks does not
// end the process, and only migrations and copies wait without a limit.
import { PostgresDialect } from 'kysely';
import type { Client, CustomTypesConfig, Pool, PoolClient, PoolConfig } from 'pg';
import { settingsOf } from './address.js';
import { ConnectionError } from './storage-error.js';

export interface PoolLimits {
  readonly maxConnections: number;
  /** For a connection, also for one that others are using. */
  readonly connectMs: number;
  /**
   * Time limit of a statement, enforced by the server, unless the address sets another. Null for no limit, even if the
   * address sets one.
   */
  readonly statementMs: number | null;
}

/** Longer than the server may take, so that it is met only where the network has gone silent. */
const silenceMs = 5000;
/** After it the server gives up a transaction whose owner stands still, and with it what others wait for: the time of a lease. */
const idleInTransactionMs = 10_000;

/** Ten connections: eight that write at most, see writers.ts, and two that are always there for reads. */
export const liveLimits: PoolLimits = { maxConnections: 10, connectMs: 5000, statementMs: 15_000 };
/** Migrations and copies: one connection, so that what a session holds is held throughout. */
export const patientLimits: PoolLimits = { maxConnections: 1, connectMs: 5000, statementMs: null };

/** Numbers of eight bytes as numbers: those of the tables are milliseconds, offsets and positions below 2^53. */
const bigintOid = 20;

export interface Driver {
  readonly Client: typeof Client;
  readonly Pool: typeof Pool;
  readonly types: CustomTypesConfig;
  /** Whether the server has said so, on a connection that goes on. */
  readonly isAnswer: (error: Error) => boolean;
}

/** Loads `pg`, which a daemon on SQLite never does. */
export async function loadDriver(): Promise<Driver> {
  const { default: pg } = await import('pg');
  const getTypeParser: CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') =>
    oid === bigintOid ? Number : pg.types.getTypeParser(oid, format as 'text');
  /** Classes 08 and 57P end the connection. */
  const isAnswer = (error: Error) => error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '');
  return { Client: pg.Client, Pool: pg.Pool, types: { getTypeParser }, isAnswer };
}

export interface PoolWatch {
  /** Called for idle connections that end. */
  readonly onIdleError: (error: Error) => void;
  /** Asked before a connection is; throws where it is known that the database cannot be used. */
  readonly check: () => void;
  /**
   * Called with a function that ends all connections at once: answers of a server that has become silent are not waited
   * for.
   */
  readonly onSilence: (cut: () => void) => void;
}

export function createDialect(
  { Pool, types, isAnswer }: Driver,
  url: string,
  { maxConnections, connectMs, statementMs }: PoolLimits,
  { onIdleError, check, onSilence }: PoolWatch = { onIdleError() {}, check() {}, onSilence() {} },
): PostgresDialect {
  const pool = new Pool({
    ...settingsOf(url),
    types,
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    ...statementLimits(url, statementMs),
  });
  pool.on('error', onIdleError);
  pool.on('connect', (client) => client.on('error', () => {})); // one that is in use fails what uses it
  const clients = new Set<PoolClient>();
  pool.on('connect', (client) => clients.add(client)).on('remove', (client) => clients.delete(client));
  onSilence(() => {
    for (const client of clients) (client as unknown as Client).connection.stream.destroy(); // what a pool is made of
  });
  return new PostgresDialect({
    pool: {
      async connect() {
        check();
        const client = await pool.connect().catch((error: unknown) => {
          throw new ConnectionError(error);
        });
        let broken: Error | undefined;
        return {
          // Kysely hands in text and parameters, unless a cursor was asked for, which it never is here.
          async query(text: string, parameters: readonly unknown[]) {
            if (broken !== undefined) throw broken; // such as the rollback of what it broke
            try {
              return await client.query(text, parameters.map(toParameter));
            } catch (error) {
              if (error instanceof Error && isAnswer(error)) throw error;
              broken = new ConnectionError(error);
              throw broken;
            }
          },
          release: () => client.release(broken),
        } as never;
      },
      end: () => pool.end(),
    },
  });
}

/** The limit in the address wins, as the driver has it; there 0 means no limit. */
function statementLimits(url: string, otherwiseMs: number | null): PoolConfig {
  if (otherwiseMs === null) return {}; // see withOneConnection
  const said = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]).getAll('statement_timeout').at(-1);
  const limitMs = said === undefined ? otherwiseMs : Number.parseInt(said, 10);
  return { statement_timeout: limitMs, query_timeout: limitMs > 0 ? limitMs + silenceMs : 0 };
}

/** PostgreSQL keeps no null character in a text (https://www.postgresql.org/docs/current/datatype-character.html). */
function toParameter(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u2400') : value;
}
