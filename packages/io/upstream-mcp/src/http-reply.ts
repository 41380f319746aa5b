// Reads the reply to one POST, or the messages of a stream: JSON or server-sent events, reported message by message.
import { HttpFailure, rejected } from './failures.js';
import { discard, readChunks, readText, tooLarge } from './http-body.js';
import type { HttpResponse } from './http-client.js';
import { smallMessage } from './server-work.js';
import { createSseParser } from './sse-parser.js';
import { maxLogLineBytes, type TransportEvents } from './transport.js';
import { faultOf, isReply, OutOfBounds, parseMessages, type RpcId, refusedReply } from './wire.js';

/** Where a stream stands, so that it can be picked up again. */
export interface StreamState {
  lastEventId?: string;
  retryMs?: number;
}

/** At the end of a response: an UpstreamFailure or null, and whether the reply was there. */
export type ReadDone = (failure: Error | null, isAnswered: boolean) => void;

export interface ReplyReader {
  /** Reads to the end, looking for the reply to `id`. */
  read(response: HttpResponse, id: RpcId | null, stream: StreamState, done: ReadDone): void;
}

/** A server should end the stream with the reply; one that does not gets this long. */
const lingerMs = 5_000;

type ReplyEvents = Pick<TransportEvents, 'onMessage' | 'onLog' | 'parseLarge' | 'frames'>;

export function createReplyReader(
  place: string,
  maxBytes: number,
  { onMessage, onLog, parseLarge = parseMessages, frames }: ReplyEvents,
): ReplyReader {
  /** Delivers the messages of one text; true when the reply to `id` was among them. */
  const deliver = (text: string, id: RpcId | null): boolean => {
    let isAnswered = false;
    const messages = text.length > smallMessage ? parseLarge(text) : parseMessages(text);
    frames?.tap.recorder?.received(frames, messages, text, id);
    for (const message of messages) {
      // An error without an id is about the one message of this request (JSON-RPC 2.0, section 5).
      const isOurs = id !== null && isReply(message) && (message.id === null || String(message.id) === String(id));
      isAnswered ||= isOurs;
      onMessage(isOurs && message.id !== id ? { ...message, id } : message, id, text.length);
    }
    return isAnswered;
  };

  const readEvents = (response: HttpResponse, id: RpcId | null, stream: StreamState, done: ReadDone): void => {
    let isAnswered = false;
    let beyond: OutOfBounds | undefined;
    let linger: NodeJS.Timeout | undefined;
    const parser = createSseParser(maxBytes, {
      onEvent({ event, data }) {
        if (event !== 'message' || data === '') return;
        try {
          if (!deliver(data, id)) return;
          isAnswered = true;
          linger ??= setTimeout(() => response.destroy(), lingerMs).unref();
        } catch (error) {
          if (error instanceof OutOfBounds) beyond = error;
          onLog(`an event is ${faultOf(error)}, ignored: ${data.slice(0, maxLogLineBytes)}`);
        }
      },
      onId(value) {
        stream.lastEventId = value;
      },
      onRetry(ms) {
        stream.retryMs = ms;
      },
      onTooLong: () => response.destroy(tooLarge(place, maxBytes)),
    });
    readChunks(response, place, parser.push, (failure) => {
      clearTimeout(linger);
      if (isAnswered) return done(null, true);
      // The ignored message may have been a notification, so only the end of the stream shows that it was the reply.
      const isRefused = failure === null && id !== null && beyond !== undefined;
      done(isRefused ? rejected(refusedReply(beyond)) : failure, false);
    });
  };

  const readJson = (response: HttpResponse, id: RpcId | null, done: ReadDone): void => {
    const { status } = response;
    readText(response, place, maxBytes, (failure, text) => {
      if (failure !== null) return done(failure, false);
      try {
        if (deliver(text, id)) return done(null, true);
      } catch (error) {
        if (error instanceof OutOfBounds) return done(rejected(refusedReply(error)), false);
        return done(new HttpFailure(`${place} answered with broken JSON`, { status, sent: true, cause: error }), false);
      }
      done(new HttpFailure(`${place} answered without a reply to the request`, { status, sent: true }), false);
    });
  };

  return {
    read(response, id, stream, done) {
      const type = mediaType(response);
      if (type === 'application/json') return readJson(response, id, done);
      if (type === 'text/event-stream') return readEvents(response, id, stream, done);
      discard(response);
      const what = type === undefined ? 'no content' : type;
      const message = `${place} answered with ${what}, which is not MCP`;
      queueMicrotask(() => done(new HttpFailure(message, { status: response.status, sent: true }), false));
    },
  };
}

function mediaType(response: HttpResponse): string | undefined {
  const type = response.header('content-type');
  return type === 'application/json' ? type : type?.split(';')[0]?.trim().toLowerCase();
}
