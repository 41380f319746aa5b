// A connection to a server over a network that can go silent: no data arrives any more, without an error.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onCleanup } from './cleanup.js';

export interface SilentNetwork {
  readonly port: number;
  /** From now on, also for new connections. */
  fallSilent(): void;
  /** New connections get through again, and both ends notice that the old ones have ended. */
  recover(): void;
}

/** @param most connections that get through; later ones are ended */
export async function openSilentNetwork(port: number, most = Number.POSITIVE_INFINITY): Promise<SilentNetwork> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  let opened = 0;
  const server = createServer((near) => {
    opened += 1;
    if (opened > most) return near.destroy();
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    if (!isSilent) near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    fallSilent() {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    recover() {
      isSilent = false;
      for (const socket of sockets) socket.destroy();
    },
  };
}
