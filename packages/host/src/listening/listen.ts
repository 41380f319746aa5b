// Puts an HTTP endpoint on a socket. Even what never becomes a request is answered in the endpoint's own form.
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '@portico/control-plane';
import { jsonHeaders } from './secure.js';
import { type UnreadLimits, unreadLimits, watchUnread } from './unread-answers.js';

/** The socket could not be opened. */
export class ListenError extends Error {}

export interface Endpoint {
  /** Its answers carry the security headers. */
  readonly fetch: (request: Request, env?: object) => Response | Promise<Response>;
  /**
   * Answers a request, or leaves it untouched for `fetch` by false.
   * @param serveWeb serves it by `fetch` after all, with its body where that has been read
   */
  readonly serveNode?: (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    serveWeb: (incoming: IncomingMessage, outgoing: ServerResponse, body?: Buffer) => void,
  ) => boolean;
  /** Called for each connection, before its first request. */
  readonly onConnection?: (connection: Socket) => void;
  /** Bytes of answers that wait for a connection in the endpoint itself; none by default. */
  readonly heldFor?: (connection: Socket) => number;
  /** Called with the port when listening begins; the returned function is called when it ends. */
  readonly onListening?: (port: number) => () => void;
  /** Body (JSON) of the answer to what never became a request. */
  readonly malformedRequestBody: (message: string) => string;
}

export interface Listening {
  readonly url: string;
  /** Accepts nothing new; the returned function waits shortly for open answers and then cuts every connection. */
  stopAccepting(): () => Promise<void>;
}

/** For the answers that are open: a stream that waits for something to happen has no more of it. */
const flushMs = 500;
/** For those that are on their way. */
const defaultSendMs = 4000;

export interface ListenLimits {
  readonly sendMs?: number;
  readonly unread?: UnreadLimits;
}

/**
 * Serves an endpoint on a port (0 for a free one) and resolves when it listens.
 * @throws ListenError
 */
export async function listen(
  endpoint: Endpoint,
  log: Log,
  bind: string,
  port: number,
  { sendMs = defaultSendMs, unread = unreadLimits }: ListenLimits = {},
): Promise<Listening> {
  const serveWeb = createWebListener(endpoint, bind, log);
  const serveByFetch = (incoming: IncomingMessage, outgoing: ServerResponse, body?: Buffer) => {
    if (body !== undefined) Object.assign(incoming, { rawBody: body }); // where Hono's adapter looks for it
    void serveWeb(incoming, outgoing);
  };
  const server = createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    open.answers.set(incoming.socket, outgoing);
    if (endpoint.serveNode?.(incoming, outgoing, serveByFetch) !== true) serveByFetch(incoming, outgoing);
  });
  const open = watchConnections(server);
  if (endpoint.onConnection !== undefined) server.on('connection', endpoint.onConnection);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const [status, message] = clientErrors[error.code ?? ''] ?? [400, 'the request is not valid HTTP'];
    if (socket.writable) socket.end(rawAnswer(status, message, endpoint));
  });
  server.on('checkExpectation', (_request, response) => {
    response.writeHead(417, jsonHeaders);
    response.end(endpoint.malformedRequestBody('no Expect but 100-continue is understood'));
  });
  server.on('connect', (_request, socket: Socket) => {
    socket.end(rawAnswer(405, 'CONNECT is not a method of this service', endpoint));
  });
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(new ListenError(reasonFor(error, bind, port)));
    server.once('error', refuse);
    server.listen(port, bind, () => {
      server.off('error', refuse);
      resolve();
    });
  });
  watchUnread(server, {
    sockets: () => open.answers.keys(),
    heldFor: (socket) => endpoint.heldFor?.(socket) ?? 0,
    limits: unread,
    onCut: (connections, bytes) =>
      log('warn', 'connections were cut because their clients did not read their answers', { connections, bytes }),
  });
  server.on('error', (error) => log('error', 'the HTTP server reported an error', { error }));
  const { address, port: actual, family } = server.address() as AddressInfo; // a TCP server has one
  const forget = endpoint.onListening?.(actual);
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`,
    stopAccepting() {
      forget?.();
      return stop(server, open, sendMs);
    },
  };
}

type WebListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/**
 * Serves by `fetch`. The modules for that, such as Node's own `Request` and HTTP/2, are loaded by the first request
 * that needs them: a tenth of the time to the ready line.
 */
function createWebListener(endpoint: Endpoint, hostname: string, log: Log): WebListener {
  const errorHandler = () =>
    jsonResponse(400, endpoint.malformedRequestBody('the Host header or the path is not valid'));
  let loading: Promise<WebListener> | undefined;
  const load = async (): Promise<WebListener> => {
    const { getRequestListener } = await import('@hono/node-server');
    return getRequestListener(endpoint.fetch, { hostname, errorHandler });
  };
  return async (incoming, outgoing) => {
    try {
      loading ??= load();
      const listener = await loading;
      if (!outgoing.closed) await listener(incoming, outgoing); // it would not notice that its caller has disconnected
    } catch (error) {
      loading = undefined; // the next request tries again
      log('error', 'a request could not be served', { error });
      outgoing.destroy();
    }
  };
}

interface OpenConnections {
  /**
   * The last answer of each connection, set when its request has come: those before it are closed when it is. Undefined
   * before the first.
   */
  readonly answers: Map<Socket, ServerResponse | undefined>;
  /** Ends those that no answer is made for, or on its way. */
  closeIdle(): void;
  /** Ends those that nothing is being sent over now. */
  closeSilent(): void;
}

function watchConnections(server: Server): OpenConnections {
  const answers: OpenConnections['answers'] = new Map();
  server.on('connection', (socket: Socket) => {
    answers.set(socket, undefined);
    socket.once('close', () => answers.delete(socket));
  });
  const closeBut = (isBusy: (socket: Socket) => boolean) => {
    for (const socket of answers.keys()) if (!isBusy(socket)) socket.destroy();
  };
  return {
    answers,
    closeIdle: () => closeBut((socket) => answers.get(socket)?.closed === false),
    closeSilent: () => closeBut(({ writableLength }) => writableLength > 0),
  };
}

function stop(server: Server, open: OpenConnections, sendMs: number): () => Promise<void> {
  // Node closes idle connections with the server, and takes those for idle that have an answer only partly sent.
  server.closeIdleConnections = open.closeIdle;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  return async () => {
    open.closeIdle();
    const cutSilent = setInterval(open.closeSilent, flushMs);
    const cutAll = setTimeout(() => server.closeAllConnections(), sendMs);
    await closed;
    clearInterval(cutSilent);
    clearTimeout(cutAll);
  };
}

function reasonFor(error: NodeJS.ErrnoException, bind: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `port ${port} of ${bind} is in use; choose another with --port N`;
  return `cannot listen on ${bind}:${port}: ${error.message}`;
}

function jsonResponse(status: number, body: string): Response {
  return new Response(body, { status, headers: jsonHeaders });
}

/** A request that Node's parser refuses has no response object; the answer is written to the socket directly. */
function rawAnswer(status: number, message: string, endpoint: Endpoint): string {
  const body = endpoint.malformedRequestBody(message);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(jsonHeaders).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

const clientErrors: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are larger than 16 KiB (a fixed limit)'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
};
