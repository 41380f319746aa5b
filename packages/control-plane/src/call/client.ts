// The caller's side of a call while it runs: the questions it supports, how it answers, and the notifications it wants.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type { ServerRequest } from '@portico/upstream-pool';

/**
 * An MCP client, or the step of a batch, which can be asked nothing. A caller without one, over HTTP, can be asked anything
 * and answers by repeating the call.
 */
export interface CallClient {
  /** As the client declares them (MCP `ClientCapabilities`): it is asked nothing that they do not name. */
  readonly capabilities: JsonObject;
  /** A step of a batch of a caller over HTTP: what is asked of a model waits as a ticket. */
  readonly isOverHttp?: true;
  /**
   * Asks while the call runs, and gives the bare result. Rejects when the client refuses, fails or goes away. Absent
   * for a client that answers by repeating the call (MCP 2026-07-28, multi round-trip requests).
   */
  readonly ask?: (question: ServerRequest, signal: AbortSignalLike) => Promise<JsonObject>;
  /** Whether it can be given a task for an answer (the tasks extension of 2026-07-28). */
  readonly takesTasks?: boolean;
  /** Receives progress: the params of `notifications/progress` without the token. */
  readonly onProgress?: (progress: JsonObject) => void;
  /** Receives the upstream's log messages of this call: the params of `notifications/message`. */
  readonly onLogMessage?: (message: JsonObject) => void;
  /** The least severe level of log messages it wants (MCP `LoggingLevel`); absent for none. */
  readonly logLevel?: string;
}
