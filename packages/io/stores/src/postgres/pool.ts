// Connections to PostgreSQL for Kysely. None is used again once it is broken, none that breaks while nobody uses it ends
// the process, and nothing is waited for without an end.
import { PostgresDialect } from 'kysely';
import type { Client, CustomTypesConfig, Pool } from 'pg';
import { settingsOf } from './address.js';

export interface PoolLimits {
  readonly maxConnections: number;
  /** For a connection, also for one that others are using. */
  readonly connectMs: number;
  /** For a statement; the server ends it. Null for as long as it takes. */
  readonly statementMs: number | null;
}

/** Longer than the server may take, so that it is met only where the network has gone silent. */
const silenceMs = 5000;
/** After it the server gives up a transaction whose owner stands still, and with it the rows that it holds. */
const idleInTransactionMs = 60_000;

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

/** @param onIdleError told of connections that end while nobody uses them */
export function createDialect(
  { Pool, types, isAnswer }: Driver,
  url: string,
  { maxConnections, connectMs, statementMs }: PoolLimits,
  onIdleError: (error: Error) => void = () => {},
): PostgresDialect {
  const pool = new Pool({
    ...settingsOf(url),
    types,
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    ...(statementMs === null ? {} : { statement_timeout: statementMs, query_timeout: statementMs + silenceMs }),
  });
  pool.on('error', onIdleError);
  pool.on('connect', (client) => client.on('error', () => {})); // one that is in use fails what uses it
  return new PostgresDialect({
    pool: {
      async connect() {
        const client = await pool.connect();
        let broken: Error | undefined;
        return {
          // Kysely hands in text and parameters, unless a cursor was asked for, which it never is here.
          async query(text: string, parameters: readonly unknown[]) {
            if (broken !== undefined) throw broken; // such as the rollback of what it broke
            try {
              return await client.query(text, parameters.map(toParameter));
            } catch (error) {
              if (error instanceof Error && !isAnswer(error)) broken = error;
              throw error;
            }
          },
          release: () => client.release(broken),
        } as never;
      },
      end: () => pool.end(),
    },
  });
}

/** PostgreSQL keeps no null character in a text (https://www.postgresql.org/docs/current/datatype-character.html). */
function toParameter(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u2400') : value;
}
