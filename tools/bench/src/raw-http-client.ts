// A load generator that costs the measuring process next to nothing: prepared bytes over kept-alive sockets.
// It reads just enough of HTTP/1.1 to know where an answer with a Content-Length ends.
import { connect, type Socket } from 'node:net';

export interface Target {
  readonly port: number;
  readonly path: string;
  /** The same for every request, or the one of the n-th. */
  readonly body: string | ((n: number) => string);
  /** What every good answer holds; an answer without it fails the run. */
  readonly expect: string;
}

export interface Load {
  /** Duration of each request in microseconds, in order of completion. */
  readonly latenciesUs: Float64Array;
  readonly seconds: number;
}

/** Sends `total` requests over `inFlight` sockets, each with one request under way. */
export async function runLoad(target: Target, inFlight: number, total: number): Promise<Load> {
  const latenciesUs = new Float64Array(total);
  const { body } = target;
  const requests =
    typeof body === 'string'
      ? [toBytes(target, body)]
      : Array.from({ length: total }, (_, n) => toBytes(target, body(n)));
  let started = 0;
  let completed = 0;
  const sockets = await Promise.all(Array.from({ length: inFlight }, () => open(target.port)));
  const startedAt = performance.now();
  await Promise.all(
    sockets.map(async (socket) => {
      const exchange = createExchange(socket, target.expect);
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
  for (const socket of sockets) socket.destroy();
  return { latenciesUs, seconds };
}

function toBytes({ port, path }: Target, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    '',
  ];
  return Buffer.from(head.join('\r\n') + body);
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

function createExchange(socket: Socket, expected: string): (request: Buffer) => Promise<void> {
  let received = '';
  let settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
  socket.setEncoding('latin1');
  socket.on('close', () => settle?.reject(new Error('the server closed the connection')));
  socket.on('data', (chunk) => {
    received += chunk;
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = Number(/content-length: *(\d+)/i.exec(received.slice(0, end))?.[1]);
    if (received.length < end + 4 + length) return;
    const answer = received;
    received = '';
    if (answer.startsWith('HTTP/1.1 200') && answer.includes(expected)) settle?.resolve();
    else settle?.reject(new Error(`unexpected answer: ${answer.slice(0, 500)}`));
  });
  return (request) =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject };
      socket.write(request);
    });
}
