// The sockets to one origin. Each carries one request at a time, and idle ones are used again, the last one first.
import type { Socket } from 'node:net';
import { loadUndici } from '@portico/egress';
import type { buildConnector, Client } from 'undici';

/** One undici client, which has at most one socket. */
export interface Connection {
  readonly client: Client;
  /** The latest socket, also while it is being connected. */
  socket: Socket | undefined;
  /** The request that it carries. */
  passenger: Passenger | undefined;
}

/** A request that needs a connection. */
export interface Passenger {
  start(connection: Connection): void;
  abort(): void;
}

export interface Connections {
  /** Starts the request on a connection, at once unless the maximum of sockets is in use. */
  take(passenger: Passenger): void;
  /** The request does not need a connection any more; it was not started. */
  leave(passenger: Passenger): void;
  /** The connection may carry the next request. */
  release(connection: Connection): void;
  /** Ends the connection with its socket. */
  drop(connection: Connection): void;
  /** Where one connection broke, the idle ones are likely dead too, and a request on a dead one may or may not arrive. */
  dropIdle(): void;
  /** Aborts the requests under way and those that wait. */
  abortAll(): void;
  close(): void;
}

export interface ConnectionsOptions {
  /** Opens a socket. One for all connections, because it keeps the TLS sessions. */
  readonly connect: buildConnector.connector;
  readonly idleSocketMs: number;
}

/**
 * Far more than the calls that may be under way at a server, with those whose callers think: neither answers to
 * questions nor health checks and cancels ever wait for them.
 */
const maxSockets = 2048;
/** How long before the server closes an idle socket, by its `Keep-Alive` header, it is not used any more. */
const closingMs = 1_000;

export function createConnections(
  origin: string,
  { connect: openSocket, idleSocketMs }: ConnectionsOptions,
): Connections {
  const { Client } = loadUndici();
  const all = new Set<Connection>();
  const idle: Connection[] = [];
  const waiting: Passenger[] = [];

  const open = (): Connection => {
    const connect: buildConnector.connector = (options, done) => {
      // The declaration leaves out that the socket is returned; there is none to an address that is refused.
      connection.socket = openSocket(options, done) as unknown as Socket | undefined;
    };
    const client = new Client(origin, {
      connect,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0, // streams may be silent for hours
      keepAliveTimeout: idleSocketMs,
      keepAliveMaxTimeout: idleSocketMs,
      keepAliveTimeoutThreshold: closingMs,
    });
    const connection: Connection = { client, socket: undefined, passenger: undefined };
    client.on('disconnect', () => {
      if (idle.includes(connection)) drop(connection);
    });
    all.add(connection);
    return connection;
  };

  const take = (passenger: Passenger) => {
    const connection = idle.pop() ?? (all.size < maxSockets ? open() : undefined);
    if (connection === undefined) waiting.push(passenger);
    else start(passenger, connection);
  };

  const start = (passenger: Passenger, connection: Connection) => {
    connection.passenger = passenger;
    passenger.start(connection);
  };

  const drop = (connection: Connection) => {
    if (!all.delete(connection)) return;
    remove(idle, connection);
    connection.client.destroy(null, () => {});
    connection.socket?.destroy(); // the client knows it only when it is connected
    const next = waiting.shift();
    if (next !== undefined) take(next);
  };

  const dropIdle = () => {
    for (const connection of [...idle]) drop(connection);
  };

  // The connections know what is in progress. A Set of it, with an entry for each call, would cost more than the call:
  // V8 replaces the table of a busy Set or Map again and again, and a dead table keeps the next one alive, with its
  // entries.
  const abortAll = () => {
    for (const passenger of waiting.splice(0)) passenger.abort();
    for (const { passenger } of [...all]) passenger?.abort();
  };

  return {
    take,
    drop,
    dropIdle,
    leave: (passenger) => remove(waiting, passenger),
    release(connection) {
      connection.passenger = undefined;
      if (!all.has(connection)) return;
      const next = waiting.shift();
      if (next === undefined) idle.push(connection);
      else start(next, connection);
    },
    abortAll,
    close() {
      abortAll();
      for (const connection of [...all]) drop(connection);
    },
  };
}

function remove<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index !== -1) list.splice(index, 1);
}
