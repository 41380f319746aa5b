// Serves the exchange routes straight from node:http. It takes requests that are written in the plainest way only, and
// leaves every other to Hono, which has the same routes behind the same checks: no rule of HTTP is repeated here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AbortSignalLike } from '@portico/async';
import type { CallSource, Connection, Identity, Log } from '@portico/control-plane';
import { AnswerHeads } from './answer-heads.js';
import type { Answer, Exchange, ExchangeRoute, Fields, RequestTrace } from './exchange.js';
import { discardBody, readNodeBody } from './node-body.js';
import { createFinder, type Found } from './plain-requests.js';
import { abandonSignalOf } from './request.js';
import type { Serve } from './serve.js';

/** Answers the request, or says by false that it has not touched it. */
export type ServeNode = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

export function createNodeKernel(routes: readonly ExchangeRoute[], serve: Serve, log: Log): ServeNode {
  const find = createFinder(routes);
  const heads = new AnswerHeads();

  const giveUp = ({ outgoing }: NodeExchange, error: unknown) => {
    log('error', 'an answer could not be written', { error });
    outgoing.destroy();
  };

  const write = (x: NodeExchange, { status, headers, body, budgets }: Answer) => {
    const { outgoing } = x;
    try {
      endBody(x);
      heads.write(outgoing, status, headers, body === null ? null : Buffer.byteLength(body), budgets);
      if (body !== null) {
        // One write of the socket has head and body. `end` with a body would add an empty write for its callback to
        // them. Corked already, `write` does not cork the socket until the end of this turn.
        outgoing.socket?.cork();
        outgoing.write(body);
        outgoing.socket?.uncork();
      }
      outgoing.end();
    } catch (error) {
      giveUp(x, error);
    }
  };

  const answer = (x: NodeExchange, { route, id }: Found) => {
    try {
      const answered = serve(x, route.handle, id);
      if (answered instanceof Promise)
        answered.then(
          (later) => write(x, later),
          (error: unknown) => giveUp(x, error),
        );
      else write(x, answered);
    } catch (error) {
      giveUp(x, error);
    }
  };

  return (incoming, outgoing) => {
    const found = find(incoming);
    if (found === undefined) return false;
    const { method = '', url = '' } = incoming;
    process.nextTick(answer, new NodeExchange(incoming, outgoing, method, url), found); // a body that came with its head is there by then
    return true;
  };
}

const noQuery: Fields = Object.freeze({});

/**
 * An exchange over a request and a response of node:http. Neither gets a property of ours: that would change their hidden
 * class, and cost more than it saves.
 */
class NodeExchange implements Exchange {
  readonly headers: Fields;
  readonly query = noQuery;
  readonly connection: Connection;
  identity: Identity | undefined = undefined;
  source: CallSource | undefined = undefined;
  requestId: string | undefined = undefined;
  trace: RequestTrace | undefined = undefined;
  private body: Uint8Array | Promise<Uint8Array> | undefined = undefined;

  /** @param path the target, which has no query and nothing to decode */
  constructor(
    readonly incoming: IncomingMessage,
    readonly outgoing: ServerResponse,
    readonly method: string,
    readonly path: string,
  ) {
    this.headers = incoming.headers as Fields; // Set-Cookie alone would be a list, and no route reads it
    this.connection = incoming.socket;
  }

  bytes(): Uint8Array | Promise<Uint8Array> {
    if (this.body === undefined) {
      // Arrived data is still there when the caller has disconnected in between.
      const arrived: Buffer | null = this.incoming.read();
      // For a body with a declared length, Node delivers the last byte before the end.
      const isWhole = arrived !== null && arrived.length === Number(this.headers['content-length']);
      this.body = isWhole ? arrived : readNodeBody(this.incoming, arrived);
    }
    return this.body;
  }

  abandonSignal(): AbortSignalLike {
    return abandonSignalOf(this.outgoing);
  }
}

/** A body that has arrived as a whole is read to its end at once. */
function endBody({ method, incoming, outgoing, headers }: NodeExchange): void {
  const hasNone = method === 'GET' && !('content-length' in headers || 'transfer-encoding' in headers);
  if (incoming.readableEnded || hasNone) return;
  if (incoming.complete) incoming.read();
  else outgoing.on('close', () => discardBody(incoming));
}
