// One daemon at a time on one database: a lock of PostgreSQL that is held as long as its connection is. When that is lost
// nothing is written until it is held again, so that two daemons never take each other's executions for interrupted ones.
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '@portico/control-plane';
import type { Client } from 'pg';
import { messageOf } from '../files.js';
import { settingsOf } from './address.js';
import type { Driver } from './pool.js';

export interface Claim {
  /** Why nothing may be written now; undefined while it may. */
  lost(): string | undefined;
  release(): Promise<void>;
}

/** Another daemon has it. */
export class ClaimedError extends Error {}

/** One lock for each schema of a database. */
const lockClass = 0x706f7274;
const lockKeys = `${lockClass}, hashtext(current_schema())`;
const connectMs = 5000;
/** A predecessor that has just ended may not be gone yet. */
const patienceMs = 3000;
const betweenTriesMs = 250;
/** How soon a connection that has gone silent is noticed, together with its limit. */
const pingEveryMs = 5000;
const pingLimitMs = 5000;
/** So that the server notices as well, and lets the lock of a connection go whose other end is away. */
const keepalives = `set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false)`;

/** @throws ClaimedError, and whatever the driver throws where it cannot connect */
export async function takeClaim(driver: Driver, url: string, log: Log): Promise<Claim> {
  const ending = new AbortController();
  const { signal } = ending;
  let reason: string | undefined;
  let client = await takeWithPatience(driver, url);

  /** Resolves when the connection is lost, or given back. */
  const untilLost = async (): Promise<string> => {
    const broken = new Promise<string>((resolve) => {
      client.on('error', (error) => resolve(messageOf(error)));
      client.on('end', () => resolve('the connection has ended'));
    });
    for (;;) {
      const lost = await Promise.race([broken, setTimeout(pingEveryMs, undefined, { signal }).catch(() => '')]);
      if (lost !== undefined) return lost;
      const failed = await client.query('select 1').then(() => undefined, messageOf);
      if (failed !== undefined) return failed;
    }
  };

  const keep = async (): Promise<void> => {
    while (!signal.aborted) {
      const lost = await untilLost();
      if (signal.aborted) return;
      reason = `the connection to the database is lost: ${lost}`;
      log('error', 'the database cannot be used; what needs it is refused until it is back', { reason: lost });
      await endQuietly(client);
      await takeAgain();
    }
  };

  const takeAgain = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        client = await take(driver, url);
        reason = undefined;
        log('info', 'the database is back');
        return;
      } catch (error) {
        if (error instanceof ClaimedError) reason = error.message;
        await setTimeout(betweenTriesMs, undefined, { signal }).catch(() => {});
      }
    }
  };

  const kept = keep();
  return {
    lost: () => reason,
    async release() {
      ending.abort();
      await kept;
      await endQuietly(client);
    },
  };
}

async function takeWithPatience(driver: Driver, url: string): Promise<Client> {
  for (let waited = 0; ; waited += betweenTriesMs) {
    try {
      return await take(driver, url);
    } catch (error) {
      if (!(error instanceof ClaimedError) || waited >= patienceMs) throw error;
      await setTimeout(betweenTriesMs);
    }
  }
}

async function take({ Client }: Driver, url: string): Promise<Client> {
  const client = new Client({
    ...settingsOf(url),
    connectionTimeoutMillis: connectMs,
    query_timeout: pingLimitMs,
    application_name: `portico on ${hostname()}, process ${process.pid}`,
  });
  client.on('error', () => {}); // whoever uses it is told as well
  try {
    await client.connect();
    const { rows } = await client.query(`select pg_try_advisory_lock(${lockKeys}) as taken, ${keepalives}`);
    if (rows[0]?.taken === true) return client;
    throw new ClaimedError(`${await holderOf(client)} is using it; stop that one, or use another database`);
  } catch (error) {
    await endQuietly(client);
    throw error;
  }
}

/** Names of processes are hidden from users who may not know them. */
async function holderOf(client: Client): Promise<string> {
  const { rows } = await client.query(
    `select application_name as name from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and (classid::bigint, objid::bigint) = (${lockClass}, hashtext(current_schema())::bigint & 4294967295)
       and pg_locks.database = (select oid from pg_database where datname = current_database())`,
  );
  return rows[0]?.name || 'another process';
}

async function endQuietly(client: Client): Promise<void> {
  const { connection } = client as unknown as { readonly connection: { readonly stream: { destroy(): void } } };
  const limit = setTimeout(1000, undefined, { ref: false }).then(() => connection.stream.destroy());
  await Promise.race([client.end().catch(() => {}), limit]);
}
