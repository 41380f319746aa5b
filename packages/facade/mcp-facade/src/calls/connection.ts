// The other end of a connection, as far as it matters to a call. Shapes only.
import type { JsonObject } from '@portico/contracts';
import type { Caller } from '@portico/control-plane';
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
