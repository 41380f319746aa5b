// The sending half of the older HTTP+SSE transport: a POST per message, which is only accepted; replies come by the
// stream. No POST outlives what it was for.
import type { FrameChannel } from '@portico/upstream-pool';
import { discard, textOf } from './http-body.js';
import { awaitResponse, type HttpClient, type HttpExchange, type HttpResponse } from './http-client.js';
import { statusFailure } from './http-status.js';
import { messageText, type RpcId, type RpcMessage } from './wire.js';

export interface SsePostsOptions {
  readonly client: HttpClient;
  readonly headers: Readonly<Record<string, string>>;
  readonly place: string;
  readonly maxBytes: number;
  /** How long a POST may stay open once its reply came by the stream. */
  readonly lingerMs: number;
  readonly frames?: FrameChannel | undefined;
}

export interface SsePost {
  /** Rejects with UpstreamFailure when the message was not accepted. */
  readonly accepted: Promise<void>;
  abort(): void;
}

export interface SsePosts {
  post(url: URL, message: RpcMessage): SsePost;
  /** The reply to a request came by the stream. */
  answered(id: RpcMessage['id']): void;
  settle(revision: string): void;
}

export function createSsePosts(options: SsePostsOptions): SsePosts {
  const { client, headers, place, maxBytes, lingerMs, frames } = options;
  const asked = new Map<RpcId, HttpExchange>();
  let revision: string | undefined;

  const accept = async (response: Promise<HttpResponse>): Promise<void> => {
    const answer = await response;
    const { status } = answer;
    if (status >= 200 && status <= 299) return discard(answer);
    const body = await textOf(answer, place, maxBytes).catch(() => '');
    throw statusFailure({ status, body, place, hadSession: false, isLive: revision !== undefined });
  };

  return {
    post(url, message) {
      const common = { ...headers, ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }) };
      const body = messageText(message);
      frames?.tap.recorder?.sent(frames, message, body);
      const posted = {
        method: 'POST',
        url,
        headers: { ...common, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body,
      } as const;
      const { exchange, response } = awaitResponse((handler) => client.send(posted, handler));
      const request = message.method === undefined ? undefined : message.id; // an answer of ours has the server's id
      if (request !== undefined && request !== null) asked.set(request, exchange);
      const accepted = accept(response).finally(() => {
        if (request !== undefined && request !== null) asked.delete(request);
      });
      return { accepted, abort: () => exchange.abort() };
    },
    answered(id) {
      // Some servers echo a numeric id as a string.
      const exchange = id === undefined || id === null ? undefined : asked.get(Number(id));
      if (exchange !== undefined) setTimeout(() => exchange.abort(), lingerMs).unref();
    },
    settle(agreed) {
      revision = agreed;
    },
  };
}
