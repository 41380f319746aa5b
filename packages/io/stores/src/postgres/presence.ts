// The presence of this process among the others on its database: a row with a lease that is renewed on a connection of
// its own, which also receives their signals. A process whose lease expires counts as dead, and its open work as
// interrupted. If it comes back after that, it finds its rows closed, and no longer changes them.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createKeyedMutex } from '@portico/async';
import type { Log } from '@portico/control-plane';
import { type Kysely, sql } from 'kysely';
import type { Client } from 'pg';
import { messageOf } from '../files.js';
import type { Signals } from '../signals.js';
import type { Tables } from '../tables.js';
import { settingsOf } from './address.js';
import { channel, type Daemon, type Lease, leave, ownName, removeGone, renew, takePlace } from './lease.js';
import { createNotificationListener } from './notification-listener.js';
import type { Driver } from './pool.js';

export interface Presence {
  /** Id of this process; the owner of its rows. */
  readonly id: string;
  readonly signals: Signals;
  /** On the connection that its lease is renewed on: nothing that takes long. */
  readonly ask: Ask;
  /** Why nothing may be written now; undefined while it may. */
  lost(): string | undefined;
  /** Calls the listener each time that the server has not answered in time. */
  onSilence(listener: () => void): void;
  /** Says that it goes: others may take over at once. */
  release(): Promise<void>;
}

/**
 * Returns the rows. A failure ends the connection, so that no unknown state of its session remains.
 * @throws Error also while the connection is lost
 */
export type Ask = (
  text: string,
  parameters: readonly string[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export interface PresenceOptions {
  readonly url: string;
  /** If two processes have the same one, only the later one counts as live. */
  readonly stateDirectory: string;
  /** Version of this program: daemons of different versions cannot share a database. */
  readonly version: string;
  readonly log: Log;
  /** How long a process counts as living that says nothing. */
  readonly leaseMs?: number | undefined;
}

const connectMs = 5000;
const answerMs = 5000;
/** After it the server gives up a start that stands still with its lock, which the beats of all others wait for. */
const idleInTransactionMs = 3000;
const betweenTriesMs = 250;
const defaultLeaseMs = 10_000;
/** A lease outlasts some beats that are late. */
const beatsInLease = 5;
/** Lets the server notice a process that ends without closing its connection. */
const keepalives = `set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false)`;
const wasSilent =
  'this daemon was silent for longer than its lease; others may have taken what it had begun for cut off';

/** @throws the error of the driver if it cannot connect */
export async function takePresence(driver: Driver, options: PresenceOptions): Promise<Presence> {
  const { url, stateDirectory, version, log, leaseMs = defaultLeaseMs } = options;
  const id = randomUUID();
  const ending = new AbortController();
  const { signal } = ending;
  const { dispatch, on } = createNotificationListener();
  const silenceListeners: (() => void)[] = [];
  let reason: string | undefined;

  const self: Daemon = { id, stateDirectory, version, leaseMs };
  let connection = await open(driver, url, dispatch);
  await orEnd(connection.client, takePlace(connection.client, self));

  /** Permanent: the process that has the state directory now continues with the work of this one. */
  const giveWay = (to: string): undefined => {
    reason = `${to} has come later with the same state directory; stop this daemon, or give each a state directory of its own`;
    log('error', 'this daemon uses the database no more', { reason });
    ending.abort();
  };

  /** Gives the reason when the connection is lost, or undefined when it is given back. */
  const beat = async ({ client, inTurn, broken, sinceMs }: Connection): Promise<string | undefined> => {
    let livesSinceMs = sinceMs;
    for (;;) {
      const pause = setTimeout(leaseMs / beatsInLease, undefined, { signal }).catch(() => undefined);
      const lost = await Promise.race([broken, pause]);
      if (lost !== undefined || signal.aborted) return lost;
      try {
        const lease = await inTurn(() => renew(client, self));
        if (lease.status === 'taken') return giveWay(lease.by);
        if (lease.status === 'lapsed') {
          log('warn', wasSilent);
          livesSinceMs = performance.now();
        }
        // A process that was suspended does not remove others: if the database or the machine stood still, they did as
        // well, and need time to renew.
        if (performance.now() - livesSinceMs > leaseMs) await inTurn(() => removeGone(client));
      } catch (error) {
        for (const listener of silenceListeners) listener();
        return messageOf(error);
      }
    }
  };

  const keep = async (): Promise<void> => {
    while (!signal.aborted) {
      const lost = await beat(connection);
      if (signal.aborted) return;
      reason = `the connection to the database is lost: ${lost}`;
      log('error', 'the database cannot be used; what needs it is refused until it is back', { reason: lost });
      await endQuietly(connection.client);
      await comeBack();
    }
  };

  const comeBack = async (): Promise<void> => {
    while (!signal.aborted) {
      let lease: Lease;
      try {
        const opened = await open(driver, url, dispatch);
        lease = await orEnd(opened.client, renew(opened.client, self));
        connection = opened;
      } catch {
        await setTimeout(betweenTriesMs, undefined, { signal }).catch(() => {});
        continue;
      }
      if (lease.status === 'taken') return giveWay(lease.by);
      reason = undefined;
      log('info', 'the database is back');
      dispatch(undefined);
      return;
    }
  };

  const kept = keep();
  return {
    id,
    signals: {
      isShared: true,
      send: (trx, topic, subject) => notify(trx, `${topic} ${subject}`),
      on,
    },
    async ask(text, parameters) {
      if (reason !== undefined) throw new Error(reason);
      const { client, inTurn } = connection;
      return (await inTurn(() => orEnd(client, client.query(text, [...parameters])))).rows;
    },
    lost: () => reason,
    onSilence: (listener) => void silenceListeners.push(listener),
    async release() {
      ending.abort();
      await kept;
      const { client, inTurn } = connection;
      await inTurn(() => leave(client, id)).catch(() => {}); // else its lease ends
      await endQuietly(client);
    },
  };
}

async function notify(trx: Kysely<Tables>, text: string): Promise<void> {
  await sql`select pg_notify(${sql.raw(channel)}, ${text})`.execute(trx);
}

interface Connection {
  readonly client: Client;
  /** A connection does one thing at a time. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Resolves with the reason when it ends by itself. */
  readonly broken: Promise<string>;
  /** By `performance.now()`. */
  readonly sinceMs: number;
}

async function open({ Client }: Driver, url: string, dispatch: (text: string) => void): Promise<Connection> {
  const client = new Client({
    ...settingsOf(url),
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    application_name: `portico, ${ownName}`,
  });
  const broken = new Promise<string>((resolve) => {
    client.on('error', (error) => resolve(messageOf(error)));
    client.on('end', () => resolve('the connection has ended'));
  });
  client.on('notification', ({ payload }) => dispatch(payload ?? ''));
  try {
    await client.connect();
    const { rows } = await client.query(`select ${channel} as channel, ${keepalives}`);
    await client.query(`listen ${client.escapeIdentifier(rows[0]?.channel)}`);
    const mutex = createKeyedMutex();
    return { client, inTurn: (work) => mutex('', work), broken, sinceMs: performance.now() };
  } catch (error) {
    await endQuietly(client);
    throw error;
  }
}

/** Ends the connection where its work fails. */
async function orEnd<T>(client: Client, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    await endQuietly(client);
    throw error;
  }
}

/** A server that has become silent does not answer the end of the session: the socket is closed then. */
async function endQuietly(client: Client): Promise<void> {
  const limit = setTimeout(1000, undefined, { ref: false }).then(() => client.connection.stream.destroy());
  await Promise.race([client.end().catch(() => {}), limit]);
}
