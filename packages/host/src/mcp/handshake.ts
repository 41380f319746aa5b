// The first line each way on a service socket: the token of who joins and for which profile, and whether the service takes them in.
// After it the connection speaks MCP as stdio does. Or the token of a process that asks for the state, whether it gets it, and
// that it still wants it; then the connection ends with the service.
import type { Socket } from 'node:net';
import { parseJson } from '@portico/contracts';

export interface Hello {
  readonly profile: string | null;
  /** As the state directory has it; undefined if it could not be read. */
  readonly token: string | undefined;
  /** The process will hold the state itself, and joins no other. */
  readonly wantsState?: boolean;
}

/** The service's description of itself. */
export interface Welcome {
  /** Longest time that a first list waits there, milliseconds. */
  readonly firstListWaitMs: number;
}

/** The service did not admit this process, and says why. */
export class JoinRefused extends Error {}

const protocol = 1;
const maxLineBytes = 4096;
const timeoutMs = 10_000;

export function sayHello(socket: Socket, { profile, token, wantsState = false }: Hello): void {
  socket.write(`${JSON.stringify({ portico: protocol, profile, token, ...(wantsState ? { wantsState } : {}) })}\n`);
}

/** @throws JoinRefused for an invalid line */
export async function readHello(socket: Socket): Promise<Hello> {
  const { profile, token, wantsState } = await readHead(socket);
  return {
    wantsState: wantsState === true,
    profile: typeof profile === 'string' ? profile : null,
    token: typeof token === 'string' ? token : undefined,
  };
}

export function welcome(socket: Socket, version: string, { firstListWaitMs }: Welcome): void {
  socket.write(`${JSON.stringify({ portico: protocol, version, firstListWaitMs })}\n`);
}

/** @param reason why the process is not taken in, or not given what it wants */
export function turnAway(socket: Socket, reason: string): void {
  socket.write(`${JSON.stringify({ portico: protocol, error: reason })}\n`);
}

/** @throws JoinRefused; Error where the other side is silent, or gone */
export async function readAnswer(socket: Socket, withinMs = timeoutMs): Promise<Welcome> {
  const { error, firstListWaitMs } = await readHead(socket, withinMs);
  if (error !== undefined) throw new JoinRefused(String(error));
  return { firstListWaitMs: typeof firstListWaitMs === 'number' ? firstListWaitMs : 0 };
}

/** Says that this process still wants the state: a request may be read long after its sender has ended. */
export function confirm(socket: Socket): void {
  socket.write(`${JSON.stringify({ portico: protocol })}\n`);
}

/** @throws Error if the other side is silent, or gone */
export async function readConfirmation(socket: Socket): Promise<void> {
  await readHead(socket);
}

async function readHead(socket: Socket, withinMs = timeoutMs): Promise<Readonly<Record<string, unknown>>> {
  const line = await readFirstLine(socket, withinMs);
  try {
    const head = parseJson(line);
    if (head?.portico === protocol) return head;
  } catch {
    // Another program than Portico listens there.
  }
  throw new JoinRefused('the other side does not speak this protocol');
}

/** Takes the first line off a socket, and leaves the rest where it is. */
function readFirstLine(socket: Socket, withinMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const settle = (done: () => void) => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose).off('error', onError);
      done();
    };
    const onData = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(10);
      if (end === -1 && head.byteLength < maxLineBytes) return;
      socket.pause();
      if (end === -1) return settle(() => reject(new JoinRefused('the first line is too long')));
      const rest = head.subarray(end + 1);
      settle(() => resolve(head.subarray(0, end).toString('utf8')));
      if (rest.byteLength > 0) socket.unshift(rest);
    };
    const onClose = () => settle(() => reject(new Error('the connection was closed')));
    const onError = (error: Error) => settle(() => reject(error));
    const timer = setTimeout(() => settle(() => reject(new Error('the other side is silent'))), withinMs);
    if (socket.destroyed) return onClose(); // before there was a listener, and it says so only once
    socket.on('data', onData).on('close', onClose).on('error', onError);
    socket.resume(); // an earlier line may have been taken off it
  });
}
