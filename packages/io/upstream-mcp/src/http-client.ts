// HTTP requests to upstreams over undici with kept-alive sockets. Chosen over `node:http` and `fetch` because it takes
// the least CPU a call; it has no hidden time-outs on silent streams, and knows whether a failed request had left.
import { createConnect, destinationOf, type EgressGuard, EgressRefused, type Lookup } from '@portico/egress';
import { HttpFailure, placeOf } from './failures.js';
import { discard } from './http-body.js';
import { type Connections, createConnections } from './http-connections.js';
import { Exchange, ExchangeAborted, type HttpRequest, type HttpResponse } from './http-exchange.js';

export type { BodyReader, HttpRequest, HttpResponse } from './http-exchange.js';

/** One of them is called, once, and never before `send` has returned. */
export interface ResponseHandler {
  /**
   * The response as soon as its headers are there, with any status. It has to be read, discarded or destroyed, best at
   * once: until then at most 1 MB of its body is kept. No request may be sent before this returns.
   */
  onResponse(response: HttpResponse): void;
  /** An HttpFailure as a rule. */
  onFailure(failure: Error): void;
}

export interface HttpExchange {
  /** Ends the exchange, its response body included. */
  abort(): void;
}

export interface HttpClient {
  send(request: HttpRequest, handler: ResponseHandler): HttpExchange;
  /** Aborts every exchange under way. */
  abortAll(): void;
  /** Aborts every exchange, and ends all sockets. */
  close(): void;
}

/** Below the 5 s after which Node and most other servers close an idle socket: one that is about to close is not reused. */
const defaultIdleSocketMs = 4_000;
const maxRedirects = 3;

export interface HttpClientOptions {
  /** Says which addresses may be connected to. */
  readonly guard: EgressGuard;
  /** How long a socket is kept between requests. */
  readonly idleSocketMs?: number;
  readonly lookup?: Lookup | undefined;
}

/** Where the requests to one URL go. */
interface Target {
  readonly url: URL;
  readonly path: string;
  readonly connections: Connections;
}

export function createHttpClient({ guard, idleSocketMs = defaultIdleSocketMs, lookup }: HttpClientOptions): HttpClient {
  const origins = new Map<string, Connections>();
  let isClosed = false;
  /** Nearly all requests of a client are for one URL. */
  let latest: Target | undefined;

  const targetOf = (url: URL): Target => {
    if (latest?.url === url) return latest;
    if (isClosed) throw new ExchangeAborted();
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`cannot use ${url.protocol} addresses`);
    let connections = origins.get(url.origin);
    if (connections === undefined) {
      // The caller's signal is the limit of connecting too.
      const connect = createConnect(guard, destinationOf(url), { lookup, timeout: 0 });
      connections = createConnections(url.origin, { connect, idleSocketMs });
      origins.set(url.origin, connections);
    }
    latest = { url, path: `${url.pathname}${url.search}`, connections };
    return latest;
  };

  const send = (request: HttpRequest, handler: ResponseHandler, redirectsLeft = maxRedirects): HttpExchange => {
    const { method, url, body = null } = request;
    try {
      const { path, connections } = targetOf(url);
      const headers = 'content-length' in request.headers ? withoutLength(request.headers) : request.headers;
      const exchange = new Exchange(
        connections,
        { method, path, headers, body },
        {
          onResponse(response) {
            const target = redirectTarget(response, url);
            if (target === null) return handler.onResponse(response);
            discard(response);
            // Later, because no request may be sent from here.
            queueMicrotask(() => {
              const isFollowed = redirectsLeft > 0 && target.origin === url.origin && keepsMethod(response, request);
              if (!isFollowed) return handler.onFailure(redirectRefused(target, url));
              exchange.continueAs(send({ ...request, url: target }, handler, redirectsLeft - 1));
            });
          },
          onFailure: (error, sent) => handler.onFailure(toFailure(error, url, sent)),
        },
      );
      connections.take(exchange);
      return exchange;
    } catch (error) {
      queueMicrotask(() => handler.onFailure(toFailure(error as Error, url, false)));
      return { abort() {} };
    }
  };

  return {
    send: (request, handler) => send(request, handler),
    abortAll() {
      for (const connections of origins.values()) connections.abortAll();
    },
    close() {
      isClosed = true;
      latest = undefined;
      for (const connections of origins.values()) connections.close();
    },
  };
}

/** For senders that wait for the response. Rejects as `onFailure` says. */
export function awaitResponse(begin: (handler: ResponseHandler) => HttpExchange): {
  readonly exchange: HttpExchange;
  readonly response: Promise<HttpResponse>;
} {
  const { promise, resolve, reject } = deferred();
  promise.catch(() => {}); // an aborted exchange may have none left that waits for it
  return { exchange: begin({ onResponse: resolve, onFailure: reject }), response: promise };
}

function deferred() {
  let resolve: (response: HttpResponse) => void = () => {};
  let reject: (failure: Error) => void = () => {};
  const promise = new Promise<HttpResponse>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

const withoutLength = ({ 'content-length': _, ...headers }: HttpRequest['headers']) => headers;

function redirectTarget(response: HttpResponse, url: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(response.status)) return null;
  const location = response.header('location');
  return location !== undefined && URL.canParse(location, url.href) ? new URL(location, url) : null;
}

const keepsMethod = ({ status }: HttpResponse, { method }: HttpRequest) =>
  method === 'GET' || status === 307 || status === 308;

function redirectRefused(target: URL, url: URL): HttpFailure {
  const message = `${placeOf(url)} redirects to ${placeOf(target)}; set that as the url if it is the right server`;
  return new HttpFailure(message, { sent: false });
}

function toFailure(error: NodeJS.ErrnoException, url: URL, sent: boolean): HttpFailure {
  const fail = (message: string, endsSession = false) => new HttpFailure(message, { sent, endsSession, cause: error });
  if (error instanceof EgressRefused) return fail(error.message);
  if (error instanceof ExchangeAborted) return fail(`connection to ${url.origin} was lost`);
  switch (error.code) {
    case 'ECONNREFUSED':
      return fail(`connection refused at ${url.origin}`, true);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(`cannot resolve the host name ${url.hostname}`);
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET': // the server closed it, or sent what undici takes for the end of it
      if (error.message === 'bad response') return fail(`${url.origin} sent "100 Continue" without being asked to`);
      return fail(`connection to ${url.origin} was lost`);
    default:
      return fail(`cannot reach ${url.origin}: ${nodeCodes[error.code ?? ''] ?? error.code ?? error.message}`);
  }
}

/** Codes of undici for what Node has codes for. */
const nodeCodes: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'HPE_UNEXPECTED_CONTENT_LENGTH',
};
