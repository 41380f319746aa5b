// Closes connections whose client does not read its answers: Node keeps unread data while the connection is open.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface UnreadLimits {
  /** How long a client may take nothing of what is sent to it, milliseconds. */
  readonly patienceMs: number;
  /**
   * Maximum unread data of all clients together, bytes. Beyond it, clients that read too slowly are disconnected as
   * well.
   */
  readonly maxBytes: number;
  /** Too slowly: at its pace since the last look, a client needs longer than this for the rest, milliseconds. */
  readonly maxRestMs: number;
  readonly lookEveryMs: number;
}

export const unreadLimits: UnreadLimits = {
  patienceMs: 30_000,
  maxBytes: 256 * 1024 * 1024,
  maxRestMs: 300_000,
  lookEveryMs: 3000,
};

export interface UnreadInput {
  readonly sockets: () => Iterable<Socket>;
  /** Bytes that wait for a connection and that its socket has not been given yet. */
  readonly heldFor: (socket: Socket) => number;
  readonly limits: UnreadLimits;
  /** Called with how many connections are cut, and how many unread bytes they had. */
  readonly onCut: (connections: number, bytes: number) => void;
}

interface Unread {
  readonly socket: Socket;
  /** Data in memory for it. */
  readonly bytes: number;
  /** Bytes that the operating system has taken so far. It takes more only where the client reads. */
  readonly taken: number;
  /** How much of that since the last look; undefined at the first one. */
  readonly gained: number | undefined;
  /** For how long it has taken nothing. */
  readonly stalledMs: number;
}

/** Looks at the connections of a server until that closes. */
export function watchUnread(server: Server, { sockets, heldFor, limits, onCut }: UnreadInput): void {
  const { patienceMs, maxBytes, maxRestMs, lookEveryMs } = limits;
  let known = new Map<Socket, Unread>(); // of connections with something unread only
  const look = () => {
    const before = known;
    known = new Map();
    for (const socket of sockets()) {
      const bytes = socket.writableLength + heldFor(socket);
      if (bytes > 0) known.set(socket, unreadOf(socket, bytes, before.get(socket), lookEveryMs));
    }
    const largestFirst = [...known.values()].sort((a, b) => b.bytes - a.bytes);
    let total = sizeOf(largestFirst);
    const cut: Unread[] = [];
    for (const unread of largestFirst) {
      const isTooSlow = total > maxBytes && restMs(unread, lookEveryMs) > maxRestMs;
      if (unread.stalledMs < patienceMs && !isTooSlow) continue;
      total -= unread.bytes;
      cut.push(unread);
    }
    if (cut.length === 0) return;
    onCut(cut.length, sizeOf(cut));
    for (const { socket } of cut) socket.destroy();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  server.once('close', () => clearInterval(timer));
}

function unreadOf(socket: Socket, bytes: number, before: Unread | undefined, elapsedMs: number): Unread {
  const taken = takenOf(socket);
  if (before === undefined) return { socket, bytes, taken, gained: undefined, stalledMs: 0 };
  const gained = taken - before.taken;
  return { socket, bytes, taken, gained, stalledMs: gained === 0 ? before.stalledMs + elapsedMs : 0 };
}

/** How long the client needs for the rest at its pace since the last look; 0 where that is not known. */
function restMs({ socket, bytes, taken, gained }: Unread, elapsedMs: number): number {
  if (gained === undefined) return 0;
  const held = bytes - socket.writableLength;
  return ((socket.bytesWritten - taken + held) / gained) * elapsedMs;
}

/** A long write is in `writableLength` as a whole until its end; only the handle knows how much of it has left. */
function takenOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
  };
  const { bytesWritten, writeQueueSize } = handle ?? {};
  if (bytesWritten === undefined || writeQueueSize === undefined) return socket.bytesWritten - socket.writableLength;
  return bytesWritten - writeQueueSize;
}

function sizeOf(all: readonly Unread[]): number {
  return all.reduce((sum, { bytes }) => sum + bytes, 0);
}
