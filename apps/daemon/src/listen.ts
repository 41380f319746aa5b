// Puts the facade on a socket. Even what never becomes a request is answered with an error envelope.
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Host } from '@portico/host';

/** The socket could not be opened. */
export class ListenError extends Error {}

export interface Listening {
  readonly url: string;
  /** Accepts nothing new; the returned function waits shortly for open answers and then cuts every connection. */
  stopAccepting(): () => Promise<void>;
}

const flushMs = 500;

export async function listen(host: Host, bind: string, port: number): Promise<Listening> {
  const server = createServer({ requireHostHeader: false }, getRequestListener(host.fetch, { hostname: bind }));
  server.on('clientError', (_error, socket: Socket) => {
    if (socket.writable) socket.end(malformedRequest);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ListenError(reasonFor(error, bind, port))));
    server.listen(port, bind, resolve);
  });
  const { address, port: actual, family } = server.address() as AddressInfo; // a TCP server has one
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`,
    stopAccepting: () => stop(server),
  };
}

function stop(server: Server): () => Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  return async () => {
    server.closeIdleConnections();
    const cut = setTimeout(() => server.closeAllConnections(), flushMs);
    await closed;
    clearTimeout(cut);
  };
}

function reasonFor(error: NodeJS.ErrnoException, bind: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `port ${port} of ${bind} is in use; choose another with --port N`;
  return `cannot listen on ${bind}:${port}: ${error.message}`;
}

const malformedBody = JSON.stringify({
  ok: false,
  request_id: null,
  trace_id: '0'.repeat(32),
  retry: { classification: 'safe', upstream_execution_state: 'not_started' },
  data: null,
  error: { code: 'INVALID_ARGS', message: 'the request is not valid HTTP', retryable: false },
});

const malformedRequest = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: application/json',
  `Content-Length: ${Buffer.byteLength(malformedBody)}`,
  'Connection: close',
  '',
  malformedBody,
].join('\r\n');
