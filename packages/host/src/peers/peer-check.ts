// Whether a connection over loopback is of the user that the daemon runs as. Each connection is looked at once, when it
// asks for something first.
import type { Connection } from '@portico/control-plane';
import { createTableReader, type ReadTable } from './read-tables.js';
import { type Ends, findUser, rowsToFind } from './socket-table.js';

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

/** A table is no snapshot: what was there all the time may be missing from one read, and is in the next. */
const reads = 3;

/** @param uid of the daemon */
export function createPeerCheck(uid: number, readTable: ReadTable = createTableReader()): PeerCheck {
  const own = new WeakSet<Connection>();
  const others = new WeakMap<Connection, Peer>();
  return {
    own,
    async look(connection) {
      if (own.has(connection)) return { kind: 'own' };
      const known = others.get(connection);
      if (known !== undefined) return known;
      const peer = await lookUp(connection as Partial<Ends>, uid, readTable); // a `net.Socket`, or something without ends
      if (peer.kind === 'own') own.add(connection);
      if (peer.kind === 'other') others.set(connection, peer);
      return peer;
    },
  };
}

async function lookUp(connection: Partial<Ends>, uid: number, readTable: ReadTable): Promise<Peer> {
  const { remoteAddress, remotePort, localAddress, localPort } = connection;
  if (remoteAddress === undefined || remotePort === undefined || localAddress === undefined || localPort === undefined)
    return { kind: 'unknown', reason: 'the connection is closed' };
  const rows = rowsToFind({ remoteAddress, remotePort, localAddress, localPort });
  try {
    for (let read = 0; read < reads; read += 1) {
      for (const { table, start } of rows) {
        const user = findUser(await readTable(table), start);
        if (user !== undefined) return user === uid || user === 0 ? { kind: 'own' } : { kind: 'other', uid: user };
      }
    }
    return { kind: 'unknown', reason: 'no process of this machine has the other end of the connection' };
  } catch (error) {
    return { kind: 'unknown', reason: `the socket table cannot be read: ${error instanceof Error ? error.message : error}` };
  }
}
