// The port to upstream MCP servers. Whoever speaks the protocol implements it; the pool never sees a transport.
import type { JsonObject, ServerConfig, UpstreamDefinitions } from '@portico/contracts';

export type UpstreamMethod = 'tools/call' | 'resources/read' | 'prompts/get' | 'completion/complete';

export interface UpstreamRequest {
  readonly method: UpstreamMethod;
  /** The MCP params object, `_meta` included. */
  readonly params: JsonObject;
}

/** One live connection to one server. It may be used by many calls at once. */
export interface UpstreamSession {
  /** The negotiated MCP revision, such as `2025-11-25`. */
  readonly protocolVersion: string;
  /** Process id of the child, for stdio servers. */
  readonly pid?: number;
  /**
   * Sends one request and resolves with the result object as the server gave it. An aborted signal makes the
   * session tell the server to cancel and reject at once. There is no timeout here: the signal is the deadline.
   * @throws UpstreamFailure when the server is gone, or answers with a JSON-RPC error.
   */
  request(request: UpstreamRequest, signal: AbortSignal): Promise<JsonObject>;
  /** Reads all pages of all lists the server declares. @throws UpstreamFailure */
  discover(signal: AbortSignal): Promise<UpstreamDefinitions>;
  /** `ping` (2025-11-25) or `server/discover` (2026-07-28). @throws UpstreamFailure */
  checkHealth(signal: AbortSignal): Promise<void>;
  /** Ends the connection and, for a child, its whole process group. Safe to call twice; never rejects. */
  close(): Promise<void>;
}

/** What a session reports by itself. None of these is called after `close()` was. */
export interface UpstreamEvents {
  /** The connection ended by itself: child exited, stream died. At most once. */
  readonly onClosed: (reason: string) => void;
  /** Any of the server's lists changed. */
  readonly onListChanged: () => void;
  readonly onResourceUpdated: (uri: string) => void;
  /** A line the child wrote to stderr, or a log notification of the server. */
  readonly onLog: (line: string) => void;
}

export interface UpstreamConnector {
  /**
   * Opens a session: start the child or connect, agree on a protocol revision. Rejects when that fails or the
   * signal aborts, and then leaves nothing behind: no process, no socket.
   * @throws UpstreamFailure
   */
  connect(id: string, server: ServerConfig, events: UpstreamEvents, signal: AbortSignal): Promise<UpstreamSession>;
}

/** A JSON-RPC error that the server answered with. */
export interface UpstreamRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * Why an upstream gave no result. `unreachable`: it cannot be or is no longer connected; `sent` says whether the
 * request had left before. `rejected`: it answered with a JSON-RPC error.
 */
export type UpstreamFailureDetail =
  | { readonly kind: 'unreachable'; readonly sent: boolean }
  | { readonly kind: 'rejected'; readonly error: UpstreamRpcError };

export class UpstreamFailure extends Error {
  readonly detail: UpstreamFailureDetail;

  constructor(message: string, detail: UpstreamFailureDetail, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'UpstreamFailure';
    this.detail = detail;
  }
}
