// Reads what comes back for one POST, or down a stream: JSON or server-sent events, told message by message.
import type { IncomingMessage } from 'node:http';
import { HttpFailure, rejected } from './failures.js';
import { discard, readChunks, readText, tooLarge } from './http-body.js';
import { createSseParser } from './sse-parser.js';
import { maxLogLineBytes, type TransportEvents } from './transport.js';
import { faultOf, isReply, NestedTooDeeply, parseMessages, type RpcId, refusedReply } from './wire.js';

/** Where a stream stands, so that it can be picked up again. */
export interface StreamState {
  lastEventId?: string;
  retryMs?: number;
}

export interface ReplyReader {
  /** Reads to the end; true when the reply to `id` was there. @throws UpstreamFailure */
  read(response: IncomingMessage, id: RpcId | null, stream: StreamState): Promise<boolean>;
}

/** A server should end the stream with the reply; one that does not gets this long. */
const lingerMs = 5_000;

export function createReplyReader(
  place: string,
  maxBytes: number,
  { onMessage, onLog }: Pick<TransportEvents, 'onMessage' | 'onLog'>,
): ReplyReader {
  /** Tells the messages of one text; true when the reply to `id` was among them. */
  const deliver = (text: string, id: RpcId | null): boolean => {
    let isAnswered = false;
    for (const message of parseMessages(text)) {
      // An error without an id is about the one message of this request (JSON-RPC 2.0, section 5).
      const isOurs = id !== null && isReply(message) && (message.id === null || String(message.id) === String(id));
      isAnswered ||= isOurs;
      onMessage(isOurs ? { ...message, id } : message, id, text.length);
    }
    return isAnswered;
  };

  const readEvents = async (response: IncomingMessage, id: RpcId | null, stream: StreamState): Promise<boolean> => {
    let isAnswered = false;
    let tooDeep: NestedTooDeeply | undefined;
    let linger: NodeJS.Timeout | undefined;
    const parser = createSseParser(maxBytes, {
      onEvent({ event, data }) {
        if (event !== 'message' || data === '') return;
        try {
          if (!deliver(data, id)) return;
          isAnswered = true;
          linger ??= setTimeout(() => response.destroy(), lingerMs).unref();
        } catch (error) {
          if (error instanceof NestedTooDeeply) tooDeep = error;
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
    await readChunks(response, place, parser.push)
      .catch((error) => {
        if (!isAnswered) throw error;
      })
      .finally(() => clearTimeout(linger));
    // What was ignored may have been a notification, so only the end of the stream shows that it was the reply.
    if (!isAnswered && id !== null && tooDeep !== undefined) throw rejected(refusedReply(tooDeep));
    return isAnswered;
  };

  return {
    async read(response, id, stream) {
      const type = response.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
      if (type === 'text/event-stream') return readEvents(response, id, stream);
      const status = response.statusCode ?? 0;
      if (type !== 'application/json') {
        discard(response);
        const what = type === undefined ? 'no content' : type;
        throw new HttpFailure(`${place} answered with ${what}, which is not MCP`, { status, sent: true });
      }
      try {
        if (deliver(await readText(response, place, maxBytes), id)) return true;
      } catch (error) {
        if (error instanceof HttpFailure) throw error;
        if (error instanceof NestedTooDeeply) throw rejected(refusedReply(error));
        throw new HttpFailure(`${place} answered with broken JSON`, { status, sent: true, cause: error });
      }
      throw new HttpFailure(`${place} answered without a reply to the request`, { status, sent: true });
    },
  };
}
