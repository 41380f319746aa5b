// The connection behind a streamable HTTP transport: which session and revision its requests belong to, and whether the
// server is still there.
import type { FrameChannel } from '@portico/upstream-pool';
import { HttpFailure, placeOf } from './failures.js';
import { discard, readText } from './http-body.js';
import {
  awaitResponse,
  type HttpClient,
  type HttpExchange,
  type HttpRequest,
  type ResponseHandler,
} from './http-client.js';
import { statusFailure } from './http-status.js';
import { addStandardHeaders } from './mcp-headers.js';
import { createWaits } from './waits.js';
import { messageText, type RpcMessage } from './wire.js';

export interface HttpLinkOptions {
  /** The client of this link alone. */
  readonly client: HttpClient;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  /** The server is lost, or knows our session no longer. At most once, and not after `close`. */
  readonly onLost: (reason: string) => void;
  readonly frames?: FrameChannel | undefined;
}

export interface HttpLink {
  readonly place: string;
  isOpen(): boolean;
  /** The handler gets good responses only; the others are UpstreamFailures. */
  post(message: RpcMessage, headers: Readonly<Record<string, string>>, handler: ResponseHandler): HttpExchange;
  /** Opens an event stream, from after the given event when there is one. The handler gets good responses only. */
  openStream(lastEventId: string | undefined, handler: ResponseHandler): HttpExchange;
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
const content = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export function createHttpLink(options: HttpLinkOptions): HttpLink {
  const { client, url, headers, maxBytes, onLost, frames } = options;
  const place = placeOf(url);
  const waits = createWaits();
  let session: string | undefined;
  let revision: string | undefined;
  let isLive = false;
  let state: 'open' | 'lost' | 'closed' = 'open';
  let closing: Promise<void> | undefined;

  /** Headers known for the connection; a message of 2026-07-28 brings its own version. */
  let commonHeaders: Readonly<Record<string, string>> = headers;
  let postHeaders: Readonly<Record<string, string>> = { ...headers, ...content };
  const learn = () => {
    commonHeaders = {
      ...headers,
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }),
    };
    postHeaders = { ...commonHeaders, ...content };
  };

  const accepting = (handler: ResponseHandler): ResponseHandler => ({
    onResponse(response) {
      const { status } = response;
      if (status >= 200 && status < 300) return handler.onResponse(response);
      const hadSession = session !== undefined;
      readText(response, place, maxBytes, (_failure, body) => {
        handler.onFailure(statusFailure({ status, body, place, hadSession, isLive }));
      });
    },
    onFailure: handler.onFailure,
  });

  const begin = (request: HttpRequest, handler: ResponseHandler) => client.send(request, accepting(handler));

  const release = () => {
    waits.end();
    client.abortAll();
  };

  /** Ends the session on the server too, if it takes that (405 is a fine answer) and is quick about it. */
  const sayGoodbye = async (): Promise<void> => {
    const request = { method: 'DELETE', url, headers: commonHeaders } as const;
    const { exchange, response } = awaitResponse((handler) => client.send(request, handler));
    const timer = setTimeout(() => exchange.abort(), goodbyeMs);
    await response.then(discard).catch(() => {});
    clearTimeout(timer);
  };

  return {
    place,
    isOpen: () => state === 'open',
    post(message, extra, handler) {
      const own = { ...postHeaders };
      addStandardHeaders(own, message);
      for (const name in extra) own[name] = extra[name] as string; // its own key
      const body = messageText(message);
      frames?.tap.recorder?.sent(frames, message, body);
      return begin({ method: 'POST', url, headers: own, body }, handler);
    },
    openStream(lastEventId, handler) {
      const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const own = { ...commonHeaders, accept: 'text/event-stream', ...resume };
      return begin({ method: 'GET', url, headers: own }, handler);
    },
    session: () => session,
    joinSession(id) {
      session = id;
      learn();
    },
    settle(agreed) {
      revision = agreed;
      isLive = true;
      learn();
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
