// Streamable HTTP as a client, both eras: one POST per message, answered by JSON or by a stream of events, and for
// sessions of 2025-11-25 one more stream for what the server sends unasked. Authorization is in the headers given.
import { HttpFailure, messageOf } from './failures.js';
import { discard } from './http-body.js';
import { awaitResponse, type HttpClient, type HttpExchange, type ResponseHandler } from './http-client.js';
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
/** A server's `retry:` may lengthen our wait up to this limit, but not shorten it. */
const longestRetryMs = 30_000;
const delayOf = (ownMs: number, { retryMs = 0 }: StreamState) => Math.max(ownMs, Math.min(retryMs, longestRetryMs));

/** Nothing is sent before the first request. */
export function createHttpTransport(options: HttpTransportOptions, events: TransportEvents): Transport {
  const { client, url, headers, maxBytes = maxMessageBytes, sendMs = defaultSendMs } = options;
  const link = createHttpLink({ client, url, headers, maxBytes, onLost: events.onClosed, frames: events.frames });
  const replies = createReplyReader(link.place, maxBytes, events);

  return {
    hasReplyStreams: true,
    sessionId: link.session,
    request: (message, waiting, extraHeaders) => exchangeReply(link, replies, { message, extraHeaders, waiting }),
    async send(message) {
      const { exchange, response } = awaitResponse((handler) => link.post(message, {}, handler));
      try {
        discard(await within(sendMs, response));
      } catch (error) {
        if (link.isOpen()) events.onLog(`could not send ${message.method ?? 'a reply'}: ${messageOf(error)}`);
        link.loseIfOver(error);
        exchange.abort();
      }
    },
    settle: (agreed) => link.settle(agreed === modernRevision ? undefined : agreed),
    listen: () => void listen(link, replies, events.onGap),
    close: link.close,
  };
}

interface Question {
  readonly message: RpcRequest;
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly waiting: Parameters<Transport['request']>[1];
}

/** Sends and reads the reply to its end, picking its stream up again where the server allows it. Returns how to drop it. */
function exchangeReply(link: HttpLink, replies: ReplyReader, { message, extraHeaders, waiting }: Question): () => void {
  const stream: StreamState = {};
  let attempt = 0;
  let isDropped = false;

  const fail = (failure: Error) => {
    // Any other error than UpstreamFailure is a defect of ours, and the peer reports it as one.
    if (!isDropped) waiting.reject(failure);
    link.loseIfOver(failure);
  };

  const onEnd = (failure: Error | null, isAnswered: boolean) => {
    if (isAnswered) return;
    const { lastEventId } = stream;
    if (failure !== null && (lastEventId === undefined || !isBroken(failure))) return fail(failure);
    // A server that says when to come again has its clients poll (2025-11-25, SEP-1699), while the caller waits.
    if (failure === null && stream.retryMs !== undefined) attempt = 0;
    const delayMs = resumeDelaysMs[attempt];
    attempt += 1;
    if (lastEventId === undefined || delayMs === undefined) {
      return fail(new HttpFailure(`${link.place} ended the reply stream without a reply`, { sent: true }));
    }
    void link.wait(delayOf(delayMs, stream)).then(() => {
      if (!isDropped && link.isOpen()) exchange = link.openStream(lastEventId, handler);
    });
  };

  const handler: ResponseHandler = {
    onResponse(response) {
      if (message.method === 'initialize') {
        const session = response.header('mcp-session-id');
        if (session !== undefined && session !== '') link.joinSession(session);
      }
      replies.read(response, message.id, stream, onEnd);
    },
    onFailure: (failure) => onEnd(failure, false),
  };

  let exchange: HttpExchange = link.post(message, extraHeaders, handler);
  return () => {
    isDropped = true;
    exchange.abort();
  };
}

/** The connection failed under the exchange, and the server may be there still. */
const isBroken = (failure: Error): boolean =>
  failure instanceof HttpFailure && failure.status === null && !failure.endsSession;

/** Keeps the stream open by which a session's server speaks unasked (2025-11-25, "listening for messages"). */
async function listen(link: HttpLink, replies: ReplyReader, onGap: () => void): Promise<void> {
  const stream: StreamState = {};
  for (let attempt = 0; link.isOpen(); attempt += 1) {
    const { response } = awaitResponse((handler) => link.openStream(stream.lastEventId, handler));
    const openedAt = performance.now();
    try {
      const opened = await response;
      onGap();
      await new Promise<void>((resolve, reject) => {
        replies.read(opened, null, stream, (failure) => (failure === null ? resolve() : reject(failure)));
      });
    } catch (error) {
      link.loseIfOver(error);
      const isOffered = error instanceof HttpFailure && (error.status === null || error.status >= 500);
      if (!isOffered) return; // 405 most of all
    }
    if (performance.now() - openedAt >= goodStreamMs) attempt = 0;
    await link.wait(delayOf(reopenDelayMs(attempt), stream));
  }
}
