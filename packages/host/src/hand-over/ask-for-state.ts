// Asks the process that holds a state directory to hand it over, and waits until it has.
import type { Socket } from 'node:net';
import { readSecret, StateDirectoryInUse } from '@portico/stores';
import { confirm, JoinRefused, readAnswer, sayHello } from '../mcp/handshake.js';
import { connectToService } from '../mcp/socket-place.js';

/** A process that runs answers at once, unless its event loop is busy. */
const answerMs = 5000;
/** Running calls there are answered first, which takes 5 s at most, and then children are ended. */
const handOverMs = 20_000;

/**
 * Whether the holder has given the directory back, or has gone; false if it does not listen.
 * @throws StateDirectoryInUse if it refuses, or does not answer
 */
export async function isHandedOver(stateDir: string, pid: number): Promise<boolean> {
  const socket = await connectToService(stateDir);
  if (socket === undefined) return false;
  const inUse = (reason: string) => new StateDirectoryInUse(stateDir, { pid, handsOver: true }, reason);
  try {
    await ask(socket, stateDir).catch((error: unknown) => {
      if (error instanceof JoinRefused) throw inUse(`, which does not hand it over (${error.message}); stop it`);
      if (socket.destroyed) return; // it has ended, and its lock with it
      throw inUse(`, which does not answer the request to hand it over within ${answerMs} ms; ${endIt(pid)}`);
    });
    if (!(await endsWithin(socket, handOverMs))) {
      throw inUse(`, which has not handed it over within ${handOverMs} ms; ${endIt(pid)}`);
    }
    return true;
  } finally {
    socket.destroy();
  }
}

/** @throws JoinRefused; Error where it is silent, or gone */
async function ask(socket: Socket, stateDir: string): Promise<void> {
  sayHello(socket, { profile: null, token: await readSecret(stateDir, 'service-token'), wantsState: true });
  await readAnswer(socket, answerMs);
  confirm(socket);
  socket.resume(); // nothing more is said, and without that its end is not seen
}

/** Whether the other side ends the connection in that time. */
function endsWithin(socket: Socket, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const end = () => {
      clearTimeout(timer);
      resolve(true);
    };
    if (socket.destroyed) end();
    else socket.once('close', end);
  });
}

function endIt(pid: number): string {
  return `end it, by "kill -9 ${pid}" where it is stopped, and start again`;
}
