// The older HTTP+SSE transport (MCP 2024-11-05): one event stream for everything the server says, and an address,
// given as its first event, to POST to. When the stream ends, so does the session.
import type { AbortSignalLike } from '@portico/async';
import { HttpFailure, messageOf, placeOf } from './failures.js';
import { readChunks, textOf, tooLarge } from './http-body.js';
import { awaitResponse } from './http-client.js';
import { statusFailure } from './http-status.js';
import type { HttpTransportOptions } from './http-transport.js';
import { smallMessage } from './server-work.js';
import { createSseParser } from './sse-parser.js';
import { createSsePosts } from './sse-posts.js';
import { defaultSendMs, maxLogLineBytes, maxMessageBytes, type Transport, type TransportEvents } from './transport.js';
import { within } from './waits.js';
import { faultOf, isReply, parseMessages, type RpcMessage } from './wire.js';

/** Resolves once the server has announced where to POST. @throws UpstreamFailure */
export async function openSseTransport(
  { client, url, headers, maxBytes = maxMessageBytes, sendMs = defaultSendMs }: HttpTransportOptions,
  events: TransportEvents,
  signal: AbortSignalLike,
): Promise<Transport> {
  const { parseLarge = parseMessages, frames } = events;
  const place = placeOf(url);
  const request = { method: 'GET', url, headers: { ...headers, accept: 'text/event-stream' } } as const;
  const { exchange: stream, response: opened } = awaitResponse((handler) => client.send(request, handler));
  let state: 'open' | 'lost' | 'closed' = 'open';
  const posts = createSsePosts({ client, headers, place, maxBytes, lingerMs: sendMs, frames });

  const lose = (reason: string) => {
    if (state !== 'open') return;
    state = 'lost';
    client.abortAll();
    events.onClosed(reason);
  };

  const parseEvent = (data: string) => {
    try {
      return data.length > smallMessage ? parseLarge(data) : parseMessages(data);
    } catch (error) {
      events.onLog(`an event is ${faultOf(error)}, ignored: ${data.slice(0, maxLogLineBytes)}`);
      return [];
    }
  };

  const take = (message: RpcMessage, length: number) => {
    if (isReply(message)) posts.answered(message.id);
    events.onMessage(message, null, length);
  };

  const takeEvent = (data: string) => {
    const messages = parseEvent(data);
    frames?.tap.recorder?.received(frames, messages, data, null);
    for (const message of messages) take(message, data.length);
  };

  const endpoint = await new Promise<URL>((resolve, reject) => {
    const giveUp = () => {
      stream.abort();
      reject(signal.reason);
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    void (async () => {
      const response = await opened;
      const { status } = response;
      if (status !== 200) {
        const body = await textOf(response, place, maxBytes).catch(() => '');
        throw statusFailure({ status, body, place, hadSession: false, isLive: false });
      }
      if (response.header('content-type')?.startsWith('text/event-stream') !== true) {
        stream.abort();
        throw new HttpFailure(`${place} answered without an event stream`, { status, sent: false });
      }
      const parser = createSseParser(maxBytes, {
        onEvent({ event, data }) {
          if (event === 'endpoint') {
            const address = endpointOf(data, url);
            if (address !== null) return resolve(address);
            response.destroy(new HttpFailure(`${place} names an endpoint on another host`, { sent: false }));
          }
          if (event === 'message') takeEvent(data);
        },
        onTooLong: () => response.destroy(tooLarge(place, maxBytes)),
      });
      await new Promise<void>((resolve, reject) => {
        readChunks(response, place, parser.push, (failure) => (failure === null ? resolve() : reject(failure)));
      });
      throw new HttpFailure(`${place} ended the event stream`, { sent: true });
    })()
      .catch((error) => {
        reject(error); // before the endpoint is known
        lose(messageOf(error));
      })
      .finally(() => signal.removeEventListener('abort', giveUp));
  });

  return {
    hasReplyStreams: false,
    sessionId: () => undefined,
    request(message, waiting) {
      const { accepted, abort } = posts.post(endpoint, message);
      accepted.catch((error) => {
        waiting.reject(error);
        if (error instanceof HttpFailure && error.endsSession) lose(error.message);
      });
      return abort;
    },
    async send(message) {
      const { accepted, abort } = posts.post(endpoint, message);
      await within(sendMs, accepted).catch((error) => {
        abort();
        if (state === 'open') events.onLog(`could not send ${message.method ?? 'a reply'}: ${messageOf(error)}`);
      });
    },
    settle: posts.settle,
    listen() {},
    async close() {
      state = 'closed';
      client.close();
    },
  };
}

/** The address to POST to. It must not lead elsewhere: our headers go with it. */
function endpointOf(data: string, url: URL): URL | null {
  const endpoint = URL.canParse(data, url.href) ? new URL(data, url) : null;
  return endpoint?.origin === url.origin ? endpoint : null;
}
