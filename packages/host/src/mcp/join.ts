// Joins the service that runs on a state directory already.
import { connect, type Socket } from 'node:net';
import { readSecret } from '@portico/stores';
import type { Link } from '../relay/link.js';
import { hearAnswer, JoinRefused, sayHello } from './handshake.js';
import { findSocket } from './socket-place.js';

/** Undefined where no service takes anybody in. @throws JoinRefused when one is there and refuses */
export async function joinService(stateDir: string, profile: string | null): Promise<Link | undefined> {
  const path = await findSocket(stateDir);
  const socket = path === undefined ? undefined : await connectTo(path);
  if (socket === undefined) return undefined;
  socket.on('error', () => {}); // it closes as well, and that is what counts
  try {
    sayHello(socket, { profile, token: await readSecret(stateDir, 'service-token') });
    await hearAnswer(socket);
  } catch (error) {
    socket.destroy();
    if (error instanceof JoinRefused) throw error;
    return undefined; // it went away in the middle of it
  }
  return { input: socket, output: socket, close: () => close(socket) };
}

async function close(socket: Socket): Promise<void> {
  socket.destroy();
}

/** Undefined where no service listens. */
function connectTo(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}
