// Streamable HTTP as a client, both eras: one POST per message, answered by JSON or by a stream of events, and for
// sessions of 2025-11-25 one more stream for what the server sends unasked. Authorization is in the headers given.
import { HttpFailure, messageOf } from './failures.js';
import { discard } from './http-body.js';
import type { HttpClient, HttpExchange } from './http-client.js';
import { createHttpLink, type HttpLink } from './http-link.js';
import { createReplyReader, type ReplyReader, type StreamState } from './http-reply.js';
import { defaultSendMs, maxMessageBytes, type Transport, type TransportEvents } from './transport.js';
import { within } from './waits.js';
import { modernRevision, type RpcRequest } from './wire.js';

export interface HttpTransportOptions {
  readonly client: HttpClient;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
  /** How long a notification, or an answer of ours, may wait to be taken. */
  readonly sendMs?: number;
}

/** Delays before each try to pick up a reply stream that broke off. */
const resumeDelaysMs = [50, 250, 1_000, 3_000];
const reopenDelayMs = (attempt: number) => Math.min(100 * 2 ** attempt, 30_000);
/** A stream that lived this long was a good one; the next is opened without a growing delay. */
const goodStreamMs = 5_000;
/** A server's `retry:` may make us wait longer than we would, but neither shorter nor for ever. */
const longestRetryMs = 30_000;
const delayOf = (ownMs: number, { retryMs = 0 }: StreamState) => Math.max(ownMs, Math.min(retryMs, longestRetryMs));

/** Nothing is sent before the first request. */
export function createHttpTransport(options: HttpTransportOptions, events: TransportEvents): Transport {
  const { client, url, headers, maxBytes = maxMessageBytes, sendMs = defaultSendMs } = options;
  const link = createHttpLink({ client, url, headers, maxBytes, onLost: events.onClosed });
  const replies = createReplyReader(link.place, maxBytes, events);

  return {
    hasReplyStreams: true,
    sessionId: link.session,
    request(message, extraHeaders, onFailure) {
      const reply: Reply = { exchange: link.post(message, extraHeaders), isDropped: false };
      readReply(link, replies, message, reply).catch((error) => {
        if (!reply.isDropped) onFailure(error);
        link.loseIfOver(error);
      });
      return () => {
        reply.isDropped = true;
        reply.exchange.abort();
      };
    },
    async send(message) {
      const exchange = link.post(message, {});
      try {
        discard(await within(sendMs, link.accept(exchange)));
      } catch (error) {
        if (link.isOpen()) events.onLog(`could not send ${message.method ?? 'a reply'}: ${messageOf(error)}`);
        link.loseIfOver(error);
        exchange.abort();
      } finally {
        link.done(exchange);
      }
    },
    settle: (agreed) => link.settle(agreed === modernRevision ? undefined : agreed),
    listen: () => void listen(link, replies, events.onGap),
    close: link.close,
  };
}

interface Reply {
  exchange: HttpExchange;
  isDropped: boolean;
}

/** Reads the reply to its end, picking its stream up again where the server allows it. @throws UpstreamFailure */
async function readReply(link: HttpLink, replies: ReplyReader, message: RpcRequest, reply: Reply): Promise<void> {
  const stream: StreamState = {};
  for (let attempt = 0; ; attempt += 1) {
    try {
      const response = await link.accept(reply.exchange);
      const session = response.headers['mcp-session-id'];
      if (message.method === 'initialize' && typeof session === 'string' && session !== '') link.joinSession(session);
      if (await replies.read(response, message.id, stream)) return;
    } catch (error) {
      const isBroken = error instanceof HttpFailure && error.status === null && !error.endsSession;
      if (!isBroken || stream.lastEventId === undefined) throw error;
    } finally {
      link.done(reply.exchange);
    }
    const delayMs = resumeDelaysMs[attempt];
    if (stream.lastEventId === undefined || delayMs === undefined) {
      throw new HttpFailure(`${link.place} ended the reply stream without a reply`, { sent: true });
    }
    await link.wait(delayOf(delayMs, stream));
    if (reply.isDropped || !link.isOpen()) return;
    reply.exchange = link.openStream(stream.lastEventId);
  }
}

/** Keeps the stream open by which a session's server speaks unasked (2025-11-25, "listening for messages"). */
async function listen(link: HttpLink, replies: ReplyReader, onGap: () => void): Promise<void> {
  const stream: StreamState = {};
  for (let attempt = 0; link.isOpen(); attempt += 1) {
    const exchange = link.openStream(stream.lastEventId);
    const openedAt = performance.now();
    try {
      const response = await link.accept(exchange);
      onGap();
      await replies.read(response, null, stream);
    } catch (error) {
      link.loseIfOver(error);
      const isOffered = error instanceof HttpFailure && (error.status === null || error.status >= 500);
      if (!isOffered) return; // 405 most of all
    } finally {
      link.done(exchange);
    }
    if (performance.now() - openedAt >= goodStreamMs) attempt = 0;
    await link.wait(delayOf(reopenDelayMs(attempt), stream));
  }
}
