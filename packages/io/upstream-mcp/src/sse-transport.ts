// The older HTTP+SSE transport (MCP 2024-11-05): one event stream for everything the server says, and an address,
// given as its first event, to POST to. When the stream ends, so does the session.
import { HttpFailure, messageOf, placeOf } from './failures.js';
import { readChunks, readText, tooLarge } from './http-body.js';
import { statusFailure } from './http-status.js';
import type { HttpTransportOptions } from './http-transport.js';
import { createSseParser } from './sse-parser.js';
import { maxMessageBytes, type Transport, type TransportEvents } from './transport.js';
import { parseMessages, type RpcMessage } from './wire.js';

/** Resolves once the server has told where to POST. @throws UpstreamFailure */
export async function openSseTransport(
  { client, url, headers, maxBytes = maxMessageBytes }: HttpTransportOptions,
  events: TransportEvents,
  signal: AbortSignal,
): Promise<Transport> {
  const place = placeOf(url);
  const stream = client.send({ method: 'GET', url, headers: { ...headers, accept: 'text/event-stream' } });
  let state: 'open' | 'lost' | 'closed' = 'open';
  let revision: string | undefined;

  const lose = (reason: string) => {
    if (state !== 'open') return;
    state = 'lost';
    events.onClosed(reason);
  };

  const refuse = async (status: number, text: Promise<string>) =>
    statusFailure({ status, body: await text.catch(() => ''), place, hadSession: false });

  const parseEvent = (data: string) => {
    try {
      return parseMessages(data);
    } catch (error) {
      events.onLog(`an event is no JSON, ignored: ${messageOf(error)}`);
      return [];
    }
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
          if (event === 'message') for (const message of parseEvent(data)) events.onMessage(message);
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

  const post = async (message: RpcMessage): Promise<void> => {
    const common = { ...headers, ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }) };
    const { response } = client.send({
      method: 'POST',
      url: endpoint,
      headers: { ...common, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
    });
    const answer = await response;
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) throw await refuse(status, readText(answer, place, maxBytes));
    answer.resume();
  };

  return {
    hasReplyStreams: false,
    sessionId: () => undefined,
    request(message, _headers, onFailure) {
      post(message).catch((error) => {
        onFailure(error);
        if (error instanceof HttpFailure && error.endsSession) lose(error.message);
      });
      return () => {};
    },
    send: (message) =>
      post(message).catch((error) =>
        events.onLog(`could not send ${message.method ?? 'a reply'}: ${messageOf(error)}`),
      ),
    settle(agreed) {
      revision = agreed;
    },
    listen() {},
    async close() {
      state = 'closed';
      stream.abort();
      client.close();
    },
  };
}

/** The address to POST to. It must not lead elsewhere: our headers go with it. */
function endpointOf(data: string, url: URL): URL | null {
  const endpoint = URL.canParse(data, url.href) ? new URL(data, url) : null;
  return endpoint?.origin === url.origin ? endpoint : null;
}
