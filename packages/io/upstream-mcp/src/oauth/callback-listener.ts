// The loopback address that a login leads back to (RFC 8252, section 7.3), and from which a person begins one that
// needs a registration. It is there while one login waits, passes the result to its caller, and answers with pages that
// hold no secret.
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OwnListeners } from '@portico/egress';

/** The page that a person sees: the login is done, has failed, or the address is not the expected one. */
export type CallbackAnswer =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'foreign' };

/** Where a person goes who begins a login. */
export type BeginAnswer =
  | { readonly kind: 'redirect'; readonly url: URL }
  | Exclude<CallbackAnswer, { readonly kind: 'done' }>;

export interface CallbackHandler {
  onCallback(params: URLSearchParams): Promise<CallbackAnswer>;
  onBegin(params: URLSearchParams): Promise<BeginAnswer>;
}

export interface CallbackListener {
  readonly redirectUri: string;
  /** A login begins at this address; it takes the parameters of `onBegin`. */
  readonly beginUri: string;
  close(): void;
}

const callbackPath = '/callback';
const beginPath = '/login';
const host = '127.0.0.1';

/**
 * Listens on a free port, or on that of an earlier redirect address while no other program has it: authorization servers
 * that compare ports then still know us.
 */
export async function openCallbackListener(
  own: OwnListeners,
  earlierRedirectUri: string | undefined,
  handler: CallbackHandler,
): Promise<CallbackListener> {
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    answer(request, response, handler).catch(() => response.destroy()); // nothing of a login may end the service
  });
  server.unref(); // an unfinished login keeps no process alive
  const earlierPort = earlierRedirectUri === undefined ? '' : new URL(earlierRedirectUri).port;
  if (earlierPort !== '') await listen(server, Number(earlierPort)).catch(() => {}); // another process has taken it
  if (!server.listening) await listen(server, 0);
  const { port } = server.address() as AddressInfo; // a TCP server has one
  const forget = own.add(port);
  return {
    redirectUri: `http://${host}:${port}${callbackPath}`,
    beginUri: `http://${host}:${port}${beginPath}`,
    close() {
      forget();
      server.close();
      server.closeIdleConnections();
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen({ port, host });
  await once(server, 'listening');
}

async function answer(request: IncomingMessage, response: ServerResponse, handler: CallbackHandler): Promise<void> {
  const { url: target = '/' } = request;
  const base = `http://${host}`;
  if (!URL.canParse(target, base)) return send(response, 404, 'There is nothing here.');
  const url = new URL(target, base);
  const isBegin = url.pathname === beginPath;
  if (request.method !== 'GET' || !(isBegin || url.pathname === callbackPath)) {
    return send(response, 404, 'There is nothing here.');
  }
  const result = await (isBegin ? handler.onBegin(url.searchParams) : handler.onCallback(url.searchParams));
  switch (result.kind) {
    case 'redirect':
      return send(response, 302, 'The login is at the authorization server.', { location: result.url.href });
    case 'done':
      return send(response, 200, 'You are logged in. You can close this page.');
    case 'failed':
      return send(response, 400, `The login failed: ${result.reason}. Ask Portico for a new link.`);
    case 'foreign':
      return send(response, 400, 'This is not the login that Portico waits for. Open its latest link.');
  }
}

function send(response: ServerResponse, status: number, text: string, headers: OutgoingHttpHeaders = {}): void {
  const escaped = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  response.writeHead(status, {
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>Portico</title><p>${escaped}</p>\n`);
}
