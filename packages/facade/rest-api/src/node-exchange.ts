// An exchange over a request and a response of node:http. Neither gets a property of ours: that would change their
// hidden class, and cost more than it saves.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AbortSignalLike } from '@portico/async';
import type { Connection, Identity } from '@portico/control-plane';
import { abandonSignalOf } from './abandon.js';
import type { AnswerHeads } from './answer-heads.js';
import type { Answer, Exchange, RequestTrace } from './exchange.js';
import { discardBody, readNodeBody } from './node-body.js';

export class NodeExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly connection: Connection;
  identity: Identity | undefined = undefined;
  requestId: string | undefined = undefined;
  trace: RequestTrace | undefined = undefined;
  #bytes: Uint8Array | Promise<Uint8Array> | undefined = undefined;

  /** Its target is a path as it is: without a query, and with nothing to decode. No header is there twice. */
  constructor(
    private readonly incoming: IncomingMessage,
    private readonly outgoing: ServerResponse,
    method: string,
    path: string,
  ) {
    this.method = method;
    this.path = path;
    this.connection = incoming.socket;
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return typeof value === 'string' ? value : undefined;
  }

  query(): undefined {
    return undefined;
  }

  bytes(): Uint8Array | Promise<Uint8Array> {
    this.#bytes ??= readOnce(this.incoming);
    return this.#bytes;
  }

  abandonSignal(): AbortSignalLike {
    return abandonSignalOf(this.outgoing);
  }

  /** Ends the connection, where no answer can be written. */
  giveUp(): void {
    this.outgoing.destroy();
  }

  answer({ status, headers, body }: Answer, heads: AnswerHeads): void {
    const { incoming, outgoing } = this;
    if (mayHaveBody(incoming) && !incoming.readableEnded) endBody(incoming, outgoing);
    heads.write(outgoing, status, headers, body === null ? null : Buffer.byteLength(body));
    if (typeof body === 'string') writeAtOnce(outgoing, body);
    else if (body === null) outgoing.end();
    else outgoing.end(body);
  }
}

/** What the body fails with is kept as well: it can be read once. */
function readOnce(incoming: IncomingMessage): Uint8Array | Promise<Uint8Array> {
  try {
    return readNodeBody(incoming);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** What has arrived whole is read to its end at once. */
function endBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.complete) incoming.read();
  else outgoing.on('close', () => discardBody(incoming));
}

function mayHaveBody({ method, headers }: IncomingMessage): boolean {
  return method !== 'GET' || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/**
 * One write of the socket has head and text. `end` with a text would add an empty write for its callback to them, and
 * two writes together take the slower way of a vectored one.
 */
function writeAtOnce(outgoing: ServerResponse, text: string): void {
  outgoing.write(text);
  outgoing.socket?.uncork(); // `write` has corked it until the end of this turn
  outgoing.end();
}
