// Streamable HTTP as a client, both eras: one POST per message, answered by JSON or by a stream of events, and for
// sessions of 2025-11-25 one more stream for what the server sends unasked. Authorization is in the headers given.
import type { IncomingMessage } from 'node:http';
import { HttpFailure, messageOf, placeOf } from './failures.js';
import { readText } from './http-body.js';
import type { HttpClient, HttpExchange } from './http-client.js';
import { createReplyReader, type StreamState } from './http-reply.js';
import { statusFailure } from './http-status.js';
import { standardHeaders } from './mcp-headers.js';
import { maxMessageBytes, type Transport, type TransportEvents } from './transport.js';
import { createWaits } from './waits.js';
import { modernRevision, type RpcMessage, type RpcRequest } from './wire.js';

export interface HttpTransportOptions {
  readonly client: HttpClient;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
}

/** Delays before each try to pick up a reply stream that broke off. */
const resumeDelaysMs = [50, 250, 1_000, 3_000];
const reopenDelayMs = (attempt: number) => Math.min(100 * 2 ** attempt, 30_000);
/** A stream that lived this long was a good one; the next is opened without a growing delay. */
const goodStreamMs = 5_000;
const goodbyeMs = 1_000;

/** Nothing is sent before the first request. */
export function createHttpTransport(options: HttpTransportOptions, events: TransportEvents): Transport {
  const { client, url, maxBytes = maxMessageBytes } = options;
  const place = placeOf(url);
  const replies = createReplyReader(place, maxBytes, events);
  const open = new Set<HttpExchange>();
  const waits = createWaits();
  let session: string | undefined;
  let revision: string | undefined;
  let state: 'open' | 'lost' | 'closed' = 'open';
  let closing: Promise<void> | undefined;

  const release = () => {
    waits.end();
    for (const exchange of open) exchange.abort();
    open.clear();
  };

  const lose = (reason: string) => {
    if (state !== 'open') return;
    state = 'lost';
    release();
    events.onClosed(reason);
  };

  const loseIfOver = (error: unknown) => {
    if (error instanceof HttpFailure && error.endsSession) lose(error.message);
  };

  /** What is known of the connection; a message of 2026-07-28 brings its own version. */
  const commonHeaders = (): Record<string, string> => ({
    ...options.headers,
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
    ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }),
  });

  const begin = (method: 'GET' | 'POST', headers: Readonly<Record<string, string>>, body?: string): HttpExchange => {
    const request = { method, url, headers: { ...commonHeaders(), ...headers } };
    const exchange = client.send(body === undefined ? request : { ...request, body });
    open.add(exchange);
    return exchange;
  };

  const post = (message: RpcMessage, headers: Readonly<Record<string, string>>): HttpExchange => {
    const content = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return begin('POST', { ...content, ...standardHeaders(message), ...headers }, JSON.stringify(message));
  };

  const openStream = ({ lastEventId }: StreamState): HttpExchange =>
    begin('GET', {
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });

  /** The response if it is a good one. @throws UpstreamFailure */
  const accept = async (exchange: HttpExchange): Promise<IncomingMessage> => {
    const response = await exchange.response;
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    const body = await readText(response, place, maxBytes).catch(() => '');
    throw statusFailure({ status, body, place, hadSession: session !== undefined });
  };

  /** Reads the reply to its end, picking its stream up again where the server allows it. @throws UpstreamFailure */
  const readReply = async (message: RpcRequest, reply: { exchange: HttpExchange; isDropped: boolean }) => {
    const stream: StreamState = {};
    for (let attempt = 0; ; attempt += 1) {
      try {
        const response = await accept(reply.exchange);
        if (message.method === 'initialize') session ??= headerOf(response, 'mcp-session-id');
        if (await replies.read(response, message.id, stream)) return;
      } catch (error) {
        const isBroken = error instanceof HttpFailure && error.status === null && !error.endsSession;
        if (!isBroken || stream.lastEventId === undefined) throw error;
      } finally {
        open.delete(reply.exchange);
      }
      const delayMs = resumeDelaysMs[attempt];
      if (stream.lastEventId === undefined || delayMs === undefined) {
        throw new HttpFailure(`${place} ended the reply stream without a reply`, { sent: true });
      }
      await waits.wait(stream.retryMs ?? delayMs);
      if (reply.isDropped || state !== 'open') return;
      reply.exchange = openStream(stream);
    }
  };

  /** The stream of a session for what the server sends unasked (2025-11-25, "listening for messages"). */
  const listen = async (): Promise<void> => {
    const stream: StreamState = {};
    for (let attempt = 0; state === 'open'; attempt += 1) {
      const exchange = openStream(stream);
      const openedAt = performance.now();
      try {
        const response = await accept(exchange);
        events.onGap();
        await replies.read(response, null, stream);
      } catch (error) {
        loseIfOver(error);
        const isOffered = error instanceof HttpFailure && (error.status === null || error.status >= 500);
        if (!isOffered) return; // 405 most of all
      } finally {
        open.delete(exchange);
      }
      if (performance.now() - openedAt >= goodStreamMs) attempt = 0;
      await waits.wait(stream.retryMs ?? reopenDelayMs(attempt));
    }
  };

  /** Ends the session on the server too, if it takes that (405 is a fine answer) and is quick about it. */
  const sayGoodbye = async (): Promise<void> => {
    const exchange = client.send({ method: 'DELETE', url, headers: commonHeaders() });
    const timer = setTimeout(exchange.abort, goodbyeMs);
    await exchange.response.then((response) => response.resume()).catch(() => {});
    clearTimeout(timer);
  };

  return {
    hasReplyStreams: true,
    sessionId: () => session,
    request(message, headers, onFailure) {
      const reply = { exchange: post(message, headers), isDropped: false };
      readReply(message, reply).catch((error) => {
        if (!reply.isDropped) onFailure(error);
        loseIfOver(error);
      });
      return () => {
        reply.isDropped = true;
        reply.exchange.abort();
      };
    },
    async send(message) {
      const exchange = post(message, {});
      try {
        (await accept(exchange)).resume();
      } catch (error) {
        if (state === 'open') events.onLog(`could not send ${message.method ?? 'a reply'}: ${messageOf(error)}`);
        loseIfOver(error);
      } finally {
        open.delete(exchange);
      }
    },
    settle(agreed) {
      revision = agreed === modernRevision ? undefined : agreed;
    },
    listen: () => void listen(),
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

const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};
