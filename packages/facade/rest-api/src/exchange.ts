// One request and the facade's data about it, over node:http or over a web Request. Routes that are written against it
// are served in both ways, without a difference.
import type { AbortSignalLike } from '@portico/async';
import type { Correlation } from '@portico/contracts';
import type { CallSource, Connection, Identity } from '@portico/control-plane';

export type RequestTrace = Pick<Correlation, 'traceId' | 'parent'>;

/** Texts by name. Only names that are known here are asked for. */
export type Fields = Readonly<Record<string, string | undefined>>;

export interface Exchange {
  readonly method: string;
  /** Decoded, and without its query. */
  readonly path: string;
  /** By names in lower case. Several of one name are joined by commas (RFC 9110, section 5.3). */
  readonly headers: Fields;
  /** The connection of the request; undefined for a request of this process. */
  readonly connection: Connection | undefined;
  /** The parameters of its query; the first of each name. */
  readonly query: Fields;
  /**
   * The whole body, the same each time. One that does not say its length is counted while it comes in.
   * @throws PorticoError OPERATION_CANCELLED if it ends early, BodyTooLarge
   */
  bytes(): Uint8Array | Promise<Uint8Array>;
  /** Aborts when the caller disconnects before its answer is complete. */
  abandonSignal(): AbortSignalLike;
  /** The identity of the caller, once the guard has determined it. */
  identity: Identity | undefined;
  /** Where it comes from, by its headers; undefined until the guard has looked at them. */
  source: CallSource | undefined;
  /** The id that the body gave, once it has been read. */
  requestId: string | undefined;
  /** The request's own trace, once it has a span. */
  trace: RequestTrace | undefined;
}

export type HeaderRecord = Readonly<Record<string, string>>;

/** JSON text in UTF-8: what is sent again and again is not encoded each time. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Complete: it needs no header but those that belong to the connection. */
export interface Answer {
  readonly status: number;
  readonly headers: HeaderRecord;
  readonly body: string | Bytes | null;
  /** Value of the one header that differs between calls, so that `headers` can be shared: the rest of the budgets. */
  readonly budgets?: string;
}

/** A route of the table whose handler needs no more than an exchange. */
export interface ExchangeRoute {
  readonly method: 'GET' | 'POST';
  /** As the route table has it. An id in it holds any character, slashes and line breaks included. */
  readonly path: string;
  /** @param id what the path has for its parameter; empty if it has none */
  readonly handle: (exchange: Exchange, id: string) => Answer | Promise<Answer>;
}
