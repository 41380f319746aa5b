// Joins the service that runs on a state directory already.
import type { Socket } from 'node:net';
import { readSecret } from '@portico/stores';
import type { Link } from '../relay/link.js';
import { JoinRefused, readAnswer, sayHello } from './handshake.js';
import { connectToService } from './socket-place.js';

/** Undefined if no service accepts joiners. @throws JoinRefused when one is there and refuses */
export async function joinService(stateDir: string, profile: string | null): Promise<Link | undefined> {
  const socket = await connectToService(stateDir);
  if (socket === undefined) return undefined;
  try {
    sayHello(socket, { profile, token: await readSecret(stateDir, 'service-token') });
    const { firstListWaitMs } = await readAnswer(socket);
    return { input: socket, output: socket, firstListWaitMs, close: () => close(socket) };
  } catch (error) {
    socket.destroy();
    if (error instanceof JoinRefused) throw error;
    return undefined; // it went away in the middle of it
  }
}

async function close(socket: Socket): Promise<void> {
  socket.destroy();
}
