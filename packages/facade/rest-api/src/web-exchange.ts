// An exchange over a web Request, as Hono hands it to its routes.
import type { AbortSignalLike } from '@portico/async';
import type { CallSource, Connection, Identity } from '@portico/control-plane';
import type { Context } from 'hono';
import type { Exchange, Fields, RequestTrace } from './exchange.js';
import { abandonSignalOf, BodyTooLarge, endedEarly, maxBodyBytes, type Outgoing } from './request.js';

const key = 'exchange';

/** The one exchange of a request. */
export function exchangeOf(c: Context): Exchange {
  const known: Exchange | undefined = c.get(key);
  if (known !== undefined) return known;
  const exchange = new WebExchange(c);
  c.set(key, exchange);
  return exchange;
}

class WebExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly connection: Connection | undefined;
  identity: Identity | undefined = undefined;
  source: CallSource | undefined = undefined;
  requestId: string | undefined = undefined;
  trace: RequestTrace | undefined = undefined;
  #bytes: Promise<Uint8Array> | undefined = undefined;
  #headers: Fields | undefined = undefined;
  #query: Fields | undefined = undefined;

  constructor(private readonly c: Context) {
    this.method = c.req.method;
    this.path = c.req.path;
    this.connection = c.env?.incoming?.socket; // as Hono's adapter for Node gives it
  }

  get headers(): Fields {
    this.#headers ??= this.c.req.header();
    return this.#headers;
  }

  get query(): Fields {
    this.#query ??= this.c.req.query();
    return this.#query;
  }

  bytes(): Promise<Uint8Array> {
    this.#bytes ??= this.headers['content-length'] === undefined ? readCounted(this.c) : readWhole(this.c);
    return this.#bytes;
  }

  /**
   * The request's own signal does the same as that of its response, which the Node adapter puts into the environment.
   * But asking for it makes that adapter build a whole Request, which costs more than the rest of a call.
   */
  abandonSignal(): AbortSignalLike {
    const outgoing: Outgoing | undefined = this.c.env?.outgoing;
    return outgoing === undefined ? this.c.req.raw.signal : abandonSignalOf(outgoing);
  }
}

async function readWhole(c: Context): Promise<Uint8Array> {
  try {
    return new Uint8Array(await c.req.arrayBuffer());
  } catch (error) {
    throw endedEarly(error);
  }
}

async function readCounted(c: Context): Promise<Uint8Array> {
  const reader = c.req.raw.body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw endedEarly(error);
    });
    if (done) break;
    length += value.length;
    if (length > maxBodyBytes) throw new BodyTooLarge();
    chunks.push(value);
  }
  return Buffer.concat(chunks, length);
}
