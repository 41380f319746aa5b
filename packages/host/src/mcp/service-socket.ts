// Takes in the processes that join this service, one connection each, and serves them MCP.
import { timingSafeEqual } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { PorticoError } from '@portico/contracts';
import type { Log } from '@portico/control-plane';
import { keepSecret, removeSecret } from '@portico/stores';
import { version } from '../version.js';
import { answerHello, hearHello, JoinRefused } from './handshake.js';
import type { McpFaces } from './mcp-faces.js';
import { takeSocketPlace } from './socket-place.js';

export interface ServiceSocket {
  /** Admits no further process. Those that have joined stay until the MCP facade is closed. */
  stopAccepting(): Promise<void>;
}

/** Only for the process that holds the state directory. */
export async function openServiceSocket(stateDir: string, faces: McpFaces, log: Log): Promise<ServiceSocket> {
  const serviceToken = await keepSecret(stateDir, 'service-token');
  const place = await takeSocketPlace(stateDir);
  const server = createServer((socket) => {
    socket.on('error', () => {}); // it closes as well, and that is what counts
    takeIn(socket, faces, serviceToken)
      .catch((error: unknown) => log('warn', 'a process that wanted to join was turned away', { error }))
      .finally(() => flush(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(place.path, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error) => log('error', 'the service socket reported an error', { error }));
  server.unref();
  if (process.platform !== 'win32') await chmod(place.path, 0o600);
  return {
    async stopAccepting() {
      server.close();
      await place.release();
      await removeSecret(stateDir, 'service-token'); // of this socket alone: the next one makes another
    },
  };
}

const flushMs = 1000;

/** What was written last still arrives, if the other side reads. */
function flush(socket: Socket): void {
  socket.destroySoon();
  const cut = setTimeout(() => socket.destroy(), flushMs).unref();
  socket.once('close', () => clearTimeout(cut));
}

/** Resolves when the process has gone. */
async function takeIn(socket: Socket, faces: McpFaces, serviceToken: string): Promise<void> {
  const { profile, token } = await hearHello(socket);
  if (token === undefined || !isSame(token, serviceToken)) {
    answerHello(socket, version, notTheToken);
    await new Promise<void>((resolve) => socket.end(resolve));
    throw new JoinRefused(notTheToken);
  }
  try {
    const { closed } = await faces.servePipe({ input: socket, output: socket }, profile);
    answerHello(socket, version); // before anything that is served: nothing was asked yet
    await closed;
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    answerHello(socket, version, error.message);
    await new Promise<void>((resolve) => socket.end(resolve));
  }
}

const notTheToken =
  'it did not send the token in the file service-token of the state directory; start it as the user of the service, in the same version';

/** Takes the same time for every wrong one of its length. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
