// The connection behind a streamable HTTP transport: which session and revision its requests belong to, which
// exchanges are open, and whether the server is still there.
import type { IncomingMessage } from 'node:http';
import { HttpFailure, placeOf } from './failures.js';
import { discard, readText } from './http-body.js';
import type { HttpClient, HttpExchange } from './http-client.js';
import { statusFailure } from './http-status.js';
import { standardHeaders } from './mcp-headers.js';
import { createWaits } from './waits.js';
import type { RpcMessage } from './wire.js';

export interface HttpLinkOptions {
  readonly client: HttpClient;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  /** The server is gone, or knows our session no longer. At most once, and not after `close`. */
  readonly onLost: (reason: string) => void;
}

export interface HttpLink {
  readonly place: string;
  isOpen(): boolean;
  post(message: RpcMessage, headers: Readonly<Record<string, string>>): HttpExchange;
  /** Opens an event stream, from after the given event when there is one. */
  openStream(lastEventId: string | undefined): HttpExchange;
  /** The response if it is a good one. @throws UpstreamFailure */
  accept(exchange: HttpExchange): Promise<IncomingMessage>;
  /** The exchange is over. */
  done(exchange: HttpExchange): void;
  session(): string | undefined;
  joinSession(id: string): void;
  /** The handshake is over; later requests name the revision in a header, unless they bring it themselves. */
  settle(revision: string | undefined): void;
  /** Reports the link as lost when the failure says that it is. */
  loseIfOver(error: unknown): void;
  wait(ms: number): Promise<void>;
  close(): Promise<void>;
}

const goodbyeMs = 1_000;

export function createHttpLink({ client, url, headers, maxBytes, onLost }: HttpLinkOptions): HttpLink {
  const place = placeOf(url);
  const open = new Set<HttpExchange>();
  const waits = createWaits();
  let session: string | undefined;
  let revision: string | undefined;
  let isLive = false;
  let state: 'open' | 'lost' | 'closed' = 'open';
  let closing: Promise<void> | undefined;

  /** What is known of the connection; a message of 2026-07-28 brings its own version. */
  const commonHeaders = (): Record<string, string> => ({
    ...headers,
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
    ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }),
  });

  const begin = (request: Omit<Parameters<HttpClient['send']>[0], 'url'>): HttpExchange => {
    const exchange = client.send({ ...request, url, headers: { ...commonHeaders(), ...request.headers } });
    open.add(exchange);
    return exchange;
  };

  const release = () => {
    waits.end();
    for (const exchange of open) exchange.abort();
    open.clear();
  };

  /** Ends the session on the server too, if it takes that (405 is a fine answer) and is quick about it. */
  const sayGoodbye = async (): Promise<void> => {
    const exchange = client.send({ method: 'DELETE', url, headers: commonHeaders() });
    const timer = setTimeout(exchange.abort, goodbyeMs);
    await exchange.response.then(discard).catch(() => {});
    clearTimeout(timer);
  };

  return {
    place,
    isOpen: () => state === 'open',
    post(message, extra) {
      const content = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const body = JSON.stringify(message);
      return begin({ method: 'POST', headers: { ...content, ...standardHeaders(message), ...extra }, body });
    },
    openStream(lastEventId) {
      const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      return begin({ method: 'GET', headers: { accept: 'text/event-stream', ...resume } });
    },
    async accept(exchange) {
      const response = await exchange.response;
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) return response;
      const body = await readText(response, place, maxBytes).catch(() => '');
      throw statusFailure({ status, body, place, hadSession: session !== undefined, isLive });
    },
    done: (exchange) => void open.delete(exchange),
    session: () => session,
    joinSession(id) {
      session = id;
    },
    settle(agreed) {
      revision = agreed;
      isLive = true;
    },
    loseIfOver(error) {
      if (state !== 'open' || !(error instanceof HttpFailure) || !error.endsSession) return;
      state = 'lost';
      release();
      onLost(error.message);
    },
    wait: waits.wait,
    close() {
      closing ??= (async () => {
        const isAlive = state === 'open';
        state = 'closed';
        release();
        if (isAlive && session !== undefined) await sayGoodbye();
        client.close();
      })();
      return closing;
    },
  };
}
