// Whether a connection over loopback is of the user that the daemon runs as. Each connection is looked at once, when it
// asks for something first.
import type { Connection } from '@portico/control-plane';
import { createTableReader, type ReadTable } from './read-tables.js';
import { type Addresses, findUser, rowsBetween, startOfRow } from './socket-table.js';

export type Peer =
  | { readonly kind: 'own' }
  | { readonly kind: 'other'; readonly uid: number }
  /** Its other end is in no table, or no table could be read. */
  | { readonly kind: 'unknown'; readonly reason: string };

export interface PeerCheck {
  /** Those that are known to be of this user, or of root. */
  readonly own: Pick<WeakSet<Connection>, 'has'>;
  /** Never rejects. */
  look(connection: Connection): Promise<Peer>;
}

/** Both ends of a connection, as `net.Socket` has them; none where it is closed. */
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
  { readTable = createTableReader(), isConnected: isStillConnected = isConnected }: PeerCheckDeps = {},
): PeerCheck {
  const own = new WeakSet<Connection>();
  const others = new WeakMap<Connection, Peer>();
  const rows = new Map<string, readonly Addresses[]>();

  /** Of the user of the other end; undefined where no table has it. */
  const lookUp = async ({ remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 }: Ends) => {
    const key = `${remoteAddress} ${localAddress}`;
    const found = rows.get(key) ?? rowsBetween(remoteAddress, localAddress);
    if (rows.size < maxKnownAddresses) rows.set(key, found);
    for (let read = 0; read < reads; read += 1) {
      for (const row of found) {
        const user = findUser(await readTable(row.table), startOfRow(row, remotePort, localPort));
        if (user !== undefined) return user;
      }
    }
    return undefined;
  };

  return {
    own,
    async look(connection) {
      if (own.has(connection)) return { kind: 'own' };
      const known = others.get(connection);
      if (known !== undefined) return known;
      const ends: Ends = connection; // a `net.Socket`, or something without ends
      if (ends.remoteAddress === undefined) return closed;
      try {
        const user = await lookUp(ends);
        if (user === undefined) return nowhere;
        // A reset frees the port of the other end at once: the row may be of the process that has it now.
        if (!isStillConnected(connection)) return closed;
        if (user !== uid && user !== 0) {
          others.set(connection, { kind: 'other', uid: user });
          return { kind: 'other', uid: user };
        }
        own.add(connection);
        return { kind: 'own' };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return { kind: 'unknown', reason: `the socket table cannot be read: ${reason}` };
      }
    },
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
 * reset on. Node tells of a reset when it reads next, and keeps the addresses that it was asked for once. `net.Socket` has
 * no public way to it that asks anew; where Node has none at all the connection is taken for a closed one.
 */
function isConnected(connection: Connection): boolean {
  const { _handle: handle }: { readonly _handle?: Handle | null } = connection; // a `net.Socket`, or something without a handle
  return handle?.getpeername?.({}) === 0;
}
