// The first line each way on a service socket: the token of who joins and for which profile, and whether the service takes them in.
// After it the connection speaks MCP as stdio does.
import type { Socket } from 'node:net';
import { parseJson } from '@portico/contracts';

export interface Hello {
  readonly profile: string | null;
  /** As the state directory has it; undefined where it could not be read. */
  readonly token: string | undefined;
}

/** The service did not admit this process, and says why. */
export class JoinRefused extends Error {}

const protocol = 1;
const maxLineBytes = 4096;
const timeoutMs = 10_000;

export function sayHello(socket: Socket, { profile, token }: Hello): void {
  socket.write(`${JSON.stringify({ portico: protocol, profile, token })}\n`);
}

/** @throws JoinRefused for a line that is none */
export async function hearHello(socket: Socket): Promise<Hello> {
  const { profile, token } = await readHead(socket);
  return {
    profile: typeof profile === 'string' ? profile : null,
    token: typeof token === 'string' ? token : undefined,
  };
}

/** @param refusal why the process is not taken in */
export function answerHello(socket: Socket, version: string, refusal?: string): void {
  const answer = refusal === undefined ? { portico: protocol, version } : { portico: protocol, error: refusal };
  socket.write(`${JSON.stringify(answer)}\n`);
}

/** @throws JoinRefused */
export async function hearAnswer(socket: Socket): Promise<void> {
  const { error } = await readHead(socket);
  if (error !== undefined) throw new JoinRefused(String(error));
}

async function readHead(socket: Socket): Promise<Readonly<Record<string, unknown>>> {
  const line = await readFirstLine(socket);
  try {
    const head = parseJson(line);
    if (head?.portico === protocol) return head;
  } catch {
    // Whatever speaks there, it is not Portico.
  }
  throw new JoinRefused('the other side does not speak this protocol');
}

/** Takes the first line off a socket, and leaves the rest where it is. */
function readFirstLine(socket: Socket): Promise<string> {
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
    const timer = setTimeout(() => settle(() => reject(new Error('the other side is silent'))), timeoutMs);
    socket.on('data', onData).on('close', onClose).on('error', onError);
  });
}
