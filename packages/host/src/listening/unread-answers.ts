// Answers that nobody reads: Node keeps what a client does not take, for as long as the connection is open.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface UnreadLimits {
  /** For so long a client may take nothing of what is sent to it, milliseconds. */
  readonly patienceMs: number;
  /** What all clients together may leave unread; beyond it the patience is that of one look. */
  readonly maxBytes: number;
  readonly lookEveryMs: number;
}

export const unreadLimits: UnreadLimits = { patienceMs: 30_000, maxBytes: 256 * 1024 * 1024, lookEveryMs: 3000 };

interface Unread {
  /** What is left to send, as the operating system has taken it so far. */
  left: number;
  /** How long that has not become less. */
  stalledMs: number;
}

/** Ends connections whose client takes nothing, until the server closes. @param onCut told how many, and of how many bytes */
export function watchUnread(
  server: Server,
  sockets: () => Iterable<Socket>,
  { patienceMs, maxBytes, lookEveryMs }: UnreadLimits,
  onCut: (connections: number, bytes: number) => void,
): void {
  const known = new WeakMap<Socket, Unread>();
  const look = () => {
    const unread = [...sockets()].filter(({ writableLength }) => writableLength > 0);
    for (const socket of unread) known.set(socket, after(known.get(socket), leftOf(socket), lookEveryMs));
    const stalledMs = (socket: Socket) => known.get(socket)?.stalledMs ?? 0;
    let total = sizeOf(unread);
    const cut: Socket[] = [];
    for (const socket of unread.sort((a, b) => b.writableLength - a.writableLength)) {
      if (stalledMs(socket) < (total > maxBytes ? lookEveryMs : patienceMs)) continue;
      total -= socket.writableLength;
      cut.push(socket);
    }
    if (cut.length === 0) return;
    onCut(cut.length, sizeOf(cut));
    for (const socket of cut) socket.destroy();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  server.once('close', () => clearInterval(timer));
}

function after(before: Unread | undefined, left: number, elapsedMs: number): Unread {
  return { left, stalledMs: before?.left === left ? before.stalledMs + elapsedMs : 0 };
}

/** A long write counts whole in `writableLength` until its end; how much of it is gone only its handle knows. */
function leftOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return (handle?.writeQueueSize ?? 0) + socket.writableLength;
}

function sizeOf(sockets: readonly Socket[]): number {
  return sockets.reduce((bytes, { writableLength }) => bytes + writableLength, 0);
}
