// A load generator that costs the measuring process next to nothing: prepared bytes over kept-alive sockets.
// It reads just enough of HTTP/1.1 to know where an answer with a Content-Length, one in chunks or a 304 ends.
import { connect, type Socket } from 'node:net';

export interface Target {
  readonly port: number;
  readonly path: string;
  /** Sent as JSON by POST: the same for every request, or the one of the n-th. Without one it is a GET. */
  readonly body?: string | ((n: number) => string);
  readonly headers?: Readonly<Record<string, string>>;
  /** The beginning and the content of every good answer; another fails the run. */
  readonly status?: number;
  readonly expect?: string;
}

export interface Load {
  /** Duration of each request in microseconds, in order of completion. */
  readonly latenciesUs: Float64Array;
  readonly seconds: number;
}

/** Sends `total` requests over `inFlight` sockets, each with one request under way. */
export async function runLoad(target: Target, inFlight: number, total: number): Promise<Load> {
  const latenciesUs = new Float64Array(total);
  const { body, status = 200, expect = '' } = target;
  const requests =
    typeof body === 'function'
      ? Array.from({ length: total }, (_, n) => toBytes(target, body(n)))
      : [toBytes(target, body)];
  let started = 0;
  let completed = 0;
  const sockets = await Promise.all(Array.from({ length: inFlight }, () => open(target.port)));
  const startedAt = performance.now();
  await Promise.all(
    sockets.map(async (socket) => {
      const exchange = createExchange(socket, `HTTP/1.1 ${status}`, expect);
      while (started < total) {
        const request = requests[started % requests.length] ?? Buffer.alloc(0);
        started += 1;
        const sentAt = performance.now();
        await exchange(request);
        latenciesUs[completed] = (performance.now() - sentAt) * 1000;
        completed += 1;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  // Closed otherwise, thousands of them would stay in the kernel's table of connections, which the daemon reads.
  for (const socket of sockets) socket.resetAndDestroy();
  return { latenciesUs, seconds };
}

/** How many requests a second it takes. */
export async function measureRate(target: Target, inFlight: number, total: number): Promise<number> {
  const { seconds } = await runLoad(target, inFlight, total);
  return total / seconds;
}

function toBytes({ port, path, headers = {} }: Target, body: string | undefined): Buffer {
  const entity = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': byteLength(body) };
  const fields = Object.entries({ Host: `127.0.0.1:${port}`, ...entity, ...headers });
  const head = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ];
  return Buffer.from(head.join('\r\n') + (body ?? ''));
}

const byteLength = (text: string) => String(Buffer.byteLength(text));

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

const headEnd = Buffer.from('\r\n\r\n');

function createExchange(socket: Socket, status: string, expected: string): (request: Buffer) => Promise<void> {
  let settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
  /** The part of an answer whose head is not complete; afterwards, only how much is missing. */
  let first: Buffer = Buffer.alloc(0);
  let missing: number | undefined;
  socket.on('close', () => settle?.reject(new Error('the server closed the connection')));
  socket.on('data', (chunk: Buffer) => {
    if (missing === undefined) {
      first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
      const end = first.indexOf(headEnd);
      if (end === -1) return;
      const bodyLength = contentLength(first.toString('latin1', 0, end)) ?? chunkedLength(first, end + headEnd.length);
      if (bodyLength === undefined) return;
      missing = end + headEnd.length + bodyLength - first.length;
    } else {
      missing -= chunk.length;
    }
    if (missing > 0) return;
    const beginning = first.toString('latin1', 0, 65_536);
    first = Buffer.alloc(0);
    missing = undefined;
    if (beginning.startsWith(status) && beginning.includes(expected)) settle?.resolve();
    else settle?.reject(new Error(`unexpected answer: ${beginning.slice(0, 500)}`));
  });
  return (request) =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject };
      socket.write(request);
    });
}

const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/** Length of a chunked body, which is small and has no such line within; undefined until it is complete. */
function chunkedLength(answer: Buffer, start: number): number | undefined {
  const end = answer.indexOf(lastChunk, start);
  return end === -1 ? undefined : end + lastChunk.length - start;
}

/**
 * Undefined for a body in chunks. A 304 has no body, though it may give a length (RFC 9110, section 15.4.5).
 */
function contentLength(head: string): number | undefined {
  if (head.startsWith('HTTP/1.1 304')) return 0;
  const length = /^content-length: *(\d+)\r?$/im.exec(head)?.[1];
  if (length === undefined && /^transfer-encoding: *chunked\r?$/im.test(head)) return undefined;
  if (length === undefined) throw new Error(`an answer without a Content-Length: ${head}`);
  return Number(length);
}
