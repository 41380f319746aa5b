// Whether a connection over loopback is of the user that the daemon runs as. Each connection is looked up once, when its
// first request comes; a read of the tables looks up all connections that are open by then.
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Connection } from '@portico/control-plane';
import { type ReadTable, readTable as readSystemTable } from './read-tables.js';
import { type Addresses, type Family, findUsers, rowsBetween, startOfRow } from './socket-table.js';

export type Peer =
  | { readonly kind: 'own' }
  | { readonly kind: 'other'; readonly uid: number }
  /** Its other end is in no table, or no table could be read. */
  | { readonly kind: 'unknown'; readonly reason: string };

export interface PeerCheck {
  /** Connections that are known to be of this user, or of root. */
  readonly own: Pick<WeakSet<Connection>, 'has'>;
  /** Has a new connection looked up with the next that is looked up. */
  expect(connection: { once(event: 'close', listener: () => void): unknown }): void;
  /** Never rejects. */
  look(connection: Connection): Promise<Peer>;
}

/** Both ends of a connection, as `net.Socket` has them; none if it is closed. */
interface Ends {
  readonly remoteAddress?: string;
  readonly remotePort?: number;
  readonly localAddress?: string;
  readonly localPort?: number;
}

/** A table is no snapshot: what was there all the time may be missing from one read, and is in the next. */
const reads = 3;

/** Loopback has many addresses, and callers use few of them. */
const maxKnownAddresses = 100;

export interface PeerCheckDeps {
  readonly readTable?: ReadTable;
  /** Whether it never was cut, up to this moment. */
  readonly isConnected?: (connection: Connection) => boolean;
}

/** @param uid of the daemon */
export function createPeerCheck(
  uid: number,
  { readTable = readSystemTable, isConnected: isStillConnected = isConnected }: PeerCheckDeps = {},
): PeerCheck {
  const own = new WeakSet<Connection>();
  /** The connections of other users, and those that were reset while they were looked up. */
  const others = new WeakMap<Connection, Peer>();
  /** Connections that the next read looks up. */
  const waiting = new Set<Connection>();
  const rows = new Map<string, readonly Addresses[]>();

  /** How the rows of a connection may start in a table. */
  const startsIn = (table: Family, connection: Connection): readonly string[] => {
    const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 }: Ends = connection; // a `net.Socket`, or something without ends
    if (remoteAddress === '') return [];
    const key = `${remoteAddress} ${localAddress}`;
    const found = rows.get(key) ?? rowsBetween(remoteAddress, localAddress);
    if (rows.size < maxKnownAddresses) rows.set(key, found);
    return found.flatMap((row) => (row.table === table ? [startOfRow(row, remotePort, localPort)] : []));
  };

  const settle = (connection: Connection, user: number | undefined) => {
    if (user === undefined) return;
    waiting.delete(connection);
    // A reset frees the port of the other end at once: the row may be of the process that has it now.
    if (!isStillConnected(connection)) others.set(connection, closed);
    else if (user === uid || user === 0) own.add(connection);
    else others.set(connection, { kind: 'other', uid: user });
  };

  const readTables = async () => {
    const connections = [...waiting];
    for (const table of ['tcp', 'tcp6'] as const) {
      const starts = new Map<string, Connection>();
      for (const connection of connections)
        if (waiting.has(connection)) for (const start of startsIn(table, connection)) starts.set(start, connection);
      if (starts.size === 0) continue;
      const users = findUsers(await readTable(table), starts);
      for (const [start, connection] of starts) settle(connection, users.get(start));
    }
  };
  const nextRead = shareRuns(readTables);
  const known = (connection: Connection): Peer | undefined =>
    own.has(connection) ? { kind: 'own' } : others.get(connection);

  return {
    own,
    expect(connection) {
      waiting.add(connection);
      connection.once('close', () => waiting.delete(connection));
    },
    async look(connection) {
      try {
        for (let read = 0; read < reads; read += 1) {
          const peer = known(connection);
          if (peer !== undefined) return peer;
          if (startsIn('tcp', connection).length + startsIn('tcp6', connection).length === 0) return closed;
          waiting.add(connection);
          await nextRead();
        }
        return known(connection) ?? nowhere;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return { kind: 'unknown', reason: `the socket table cannot be read: ${reason}` };
      } finally {
        waiting.delete(connection);
      }
    },
  };
}

/**
 * One run at a time, in a later turn of the event loop than the one that asks; those who ask before it begins share it. Between
 * two runs there is a pause as long as the first, so that connections without end leave half of the loop to others.
 */
function shareRuns(run: () => Promise<void>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  let freeAtMs = 0;
  const begin = async () => {
    await last;
    const pauseMs = freeAtMs - performance.now();
    await (pauseMs > 1 ? setTimeout(pauseMs) : setImmediate());
    next = undefined;
    const begunAtMs = performance.now();
    const running = run().finally(() => {
      freeAtMs = 2 * performance.now() - begunAtMs;
    });
    last = running.catch(() => {}); // those who asked get the error
    return running;
  };
  return () => {
    next ??= begin();
    return next;
  };
}

const closed: Peer = Object.freeze({ kind: 'unknown', reason: 'the connection is closed' });

const nowhere: Peer = Object.freeze({
  kind: 'unknown',
  reason: 'no process of this machine has the other end of the connection',
});

interface Handle {
  getpeername?(into: object): number;
}

/**
 * Whether the kernel still has a connection, asked at this moment, by getpeername(2), which fails with ENOTCONN from a
 * reset on. Node reports a reset at its next read, and caches the addresses after the first request. `net.Socket` has
 * no public method that asks again; if Node has no address at all, the connection counts as closed.
 */
function isConnected(connection: Connection): boolean {
  const { _handle: handle }: { readonly _handle?: Handle | null } = connection; // a `net.Socket`, or something without a handle
  return handle?.getpeername?.({}) === 0;
}
