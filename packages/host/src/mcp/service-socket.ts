// Takes in the processes that join this service, one connection each, and serves them MCP.
import { timingSafeEqual } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { PorticoError } from '@portico/contracts';
import type { Log } from '@portico/control-plane';
import { keepSecret, removeSecret } from '@portico/stores';
import { version } from '../version.js';
import { JoinRefused, readConfirmation, readHello, turnAway, welcome } from './handshake.js';
import type { McpFaces } from './mcp-faces.js';
import { takeSocketPlace } from './socket-place.js';

/** Ends the service once what runs is answered; resolves when the state directory is given back. */
export type HandOver = () => Promise<void>;

export interface Service {
  /** Sent to processes that join. */
  readonly firstListWaitMs: () => number;
  /** Without it the state is not handed over. */
  readonly handOver?: HandOver | undefined;
}

export interface ServiceSocket {
  /** Admits no further process. Joined processes stay until the MCP facade is closed. */
  stopAccepting(): Promise<void>;
}

/** Only for the process that holds the state directory. */
export async function openServiceSocket(
  stateDir: string,
  faces: McpFaces,
  service: Service,
  log: Log,
): Promise<ServiceSocket> {
  const serviceToken = await keepSecret(stateDir, 'service-token');
  const place = await takeSocketPlace(stateDir);
  const server = createServer((socket) => {
    socket.on('error', () => {}); // it closes as well, and that is what counts
    takeIn(socket, { faces, service, serviceToken, log })
      .catch((error: unknown) => log('warn', 'a process that came to the service socket was turned away', { error }))
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

/** The last written data still arrives, if the other side reads. */
function flush(socket: Socket): void {
  socket.destroySoon();
  const cut = setTimeout(() => socket.destroy(), flushMs).unref();
  socket.once('close', () => clearTimeout(cut));
}

interface TakingIn {
  readonly faces: McpFaces;
  readonly service: Service;
  readonly serviceToken: string;
  readonly log: Log;
}

/** Resolves when the process has gone, or has the state. */
async function takeIn(socket: Socket, { faces, service, serviceToken, log }: TakingIn): Promise<void> {
  const { profile, token, wantsState } = await readHello(socket);
  if (token === undefined || !isSame(token, serviceToken)) return refuse(socket, notTheToken);
  if (wantsState) return giveState(socket, service, log);
  try {
    const { closed } = await faces.servePipe({ input: socket, output: socket }, profile);
    welcome(socket, version, toWelcome(service)); // before anything that is served: nothing was asked yet
    await closed;
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    turnAway(socket, error.message);
    await new Promise<void>((resolve) => socket.end(resolve));
  }
}

/** The connection ends when the state is free. */
async function giveState(socket: Socket, service: Service, log: Log): Promise<void> {
  if (service.handOver === undefined) return refuse(socket, 'it keeps the state directory until it ends');
  welcome(socket, version, toWelcome(service));
  await readConfirmation(socket);
  log('info', 'handing the state directory over to a process that asked for it');
  await service.handOver();
}

/** @throws JoinRefused */
async function refuse(socket: Socket, reason: string): Promise<never> {
  turnAway(socket, reason);
  await new Promise<void>((resolve) => socket.end(resolve));
  throw new JoinRefused(reason);
}

function toWelcome({ firstListWaitMs }: Service) {
  return { firstListWaitMs: firstListWaitMs() };
}

const notTheToken =
  'it did not send the token in the file service-token of the state directory; start it as the user of the service, in the same version';

/** Takes the same time for every wrong one of its length. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
