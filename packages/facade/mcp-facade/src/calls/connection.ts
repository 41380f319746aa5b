// The other end of a connection, as far as it matters to a call.
import type { JsonObject } from '@portico/contracts';
import type { Caller, CallSource } from '@portico/control-plane';
import type { FirstWait } from './first-wait.js';

export type Era = 'legacy' | 'modern';

/** A client as long as it stays: a session, a pipe, or a single request of 2026-07-28. */
export interface Connection {
  readonly era: Era;
  readonly caller: Caller;
  /** As the client declared them when it came; a client of 2026-07-28 declares them with each request. */
  readonly capabilities: () => JsonObject;
  /** Least severe level of log messages, as `logging/setLevel` set it. */
  readonly logLevel: () => string;
  readonly firstWait: FirstWait;
}

/** The same, for a request that says by itself who sends it. */
export function withSource(connection: Connection, source: CallSource | undefined): Connection {
  const { caller } = connection;
  return source === undefined || source === caller.source
    ? connection
    : { ...connection, caller: { ...caller, source } };
}
