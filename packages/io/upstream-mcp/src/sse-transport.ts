// The older HTTP+SSE transport (MCP 2024-11-05): one event stream for everything the server says, and an address,
// given as its first event, to POST to. When the stream ends, so does the session.
import { HttpFailure, messageOf, placeOf } from './failures.js';
import { discard, readChunks, readText, tooLarge } from './http-body.js';
import type { HttpExchange } from './http-client.js';
import { statusFailure } from './http-status.js';
import type { HttpTransportOptions } from './http-transport.js';
import { createSseParser } from './sse-parser.js';
import { defaultSendMs, maxLogLineBytes, maxMessageBytes, type Transport, type TransportEvents } from './transport.js';
import { within } from './waits.js';
import { faultOf, isReply, parseMessages, type RpcId, type RpcMessage } from './wire.js';

/** Resolves once the server has told where to POST. @throws UpstreamFailure */
export async function openSseTransport(
  { client, url, headers, maxBytes = maxMessageBytes, sendMs = defaultSendMs }: HttpTransportOptions,
  events: TransportEvents,
  signal: AbortSignal,
): Promise<Transport> {
  const place = placeOf(url);
  const stream = client.send({ method: 'GET', url, headers: { ...headers, accept: 'text/event-stream' } });
  let state: 'open' | 'lost' | 'closed' = 'open';
  let revision: string | undefined;
  const posts = new Set<HttpExchange>();
  const asked = new Map<RpcId, HttpExchange>();

  const abortPosts = () => {
    for (const post of posts) post.abort();
  };

  const lose = (reason: string) => {
    if (state !== 'open') return;
    state = 'lost';
    abortPosts();
    events.onClosed(reason);
  };

  const refuse = async (status: number, text: Promise<string>) =>
    statusFailure({
      status,
      body: await text.catch(() => ''),
      place,
      hadSession: false,
      isLive: revision !== undefined,
    });

  const parseEvent = (data: string) => {
    try {
      return parseMessages(data);
    } catch (error) {
      events.onLog(`an event is ${faultOf(error)}, ignored: ${data.slice(0, maxLogLineBytes)}`);
      return [];
    }
  };

  const take = (message: RpcMessage) => {
    if (isReply(message)) releaseSoon(message.id);
    events.onMessage(message);
  };

  /** The reply came by the stream, so a POST that is still open has had its time. */
  const releaseSoon = (id: RpcMessage['id']) => {
    const post = id === undefined || id === null ? undefined : asked.get(Number(id)); // some echo it as a string
    if (post !== undefined) setTimeout(post.abort, sendMs).unref();
  };

  const endpoint = await new Promise<URL>((resolve, reject) => {
    const giveUp = () => {
      stream.abort();
      reject(signal.reason);
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    void (async () => {
      const response = await stream.response;
      const status = response.statusCode ?? 0;
      if (status !== 200) throw await refuse(status, readText(response, place, maxBytes));
      if (response.headers['content-type']?.startsWith('text/event-stream') !== true) {
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
          if (event === 'message') for (const message of parseEvent(data)) take(message);
        },
        onTooLong: () => response.destroy(tooLarge(place, maxBytes)),
      });
      await readChunks(response, place, parser.push);
      throw new HttpFailure(`${place} ended the event stream`, { sent: true });
    })()
      .catch((error) => {
        reject(error); // before the endpoint is known
        lose(messageOf(error));
      })
      .finally(() => signal.removeEventListener('abort', giveUp));
  });

  const post = (message: RpcMessage): HttpExchange => {
    const common = { ...headers, ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }) };
    const exchange = client.send({
      method: 'POST',
      url: endpoint,
      headers: { ...common, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
    });
    posts.add(exchange);
    return exchange;
  };

  const accept = async (exchange: HttpExchange): Promise<void> => {
    try {
      const answer = await exchange.response;
      const status = answer.statusCode ?? 0;
      if (status < 200 || status > 299) throw await refuse(status, readText(answer, place, maxBytes));
      discard(answer);
    } finally {
      posts.delete(exchange);
    }
  };

  return {
    hasReplyStreams: false,
    sessionId: () => undefined,
    request(message, _headers, onFailure) {
      const exchange = post(message);
      asked.set(message.id, exchange);
      accept(exchange)
        .catch((error) => {
          onFailure(error);
          if (error instanceof HttpFailure && error.endsSession) lose(error.message);
        })
        .finally(() => asked.delete(message.id));
      return exchange.abort;
    },
    async send(message) {
      const exchange = post(message);
      await within(sendMs, accept(exchange)).catch((error) => {
        exchange.abort();
        if (state === 'open') events.onLog(`could not send ${message.method ?? 'a reply'}: ${messageOf(error)}`);
      });
    },
    settle(agreed) {
      revision = agreed;
    },
    listen() {},
    async close() {
      state = 'closed';
      stream.abort();
      abortPosts();
      client.close();
    },
  };
}

/** The address to POST to. It must not lead elsewhere: our headers go with it. */
function endpointOf(data: string, url: URL): URL | null {
  const endpoint = URL.canParse(data, url.href) ? new URL(data, url) : null;
  return endpoint?.origin === url.origin ? endpoint : null;
}
