// The port to upstream MCP servers. The package that speaks the protocol implements it; the pool never sees a transport.
import { type AbortSignalLike, promised, type Settle } from '@portico/async';
import type { JsonObject, ServerConfig, UpstreamDefinitions } from '@portico/contracts';
import type { FrameTap } from './frame-tap.js';

export type UpstreamMethod =
  | 'tools/call'
  | 'resources/read'
  | 'prompts/get'
  | 'completion/complete'
  /** Methods of the tasks of 2025-11-25, and of the tasks extension of 2026-07-28. */
  | 'tasks/get'
  | 'tasks/cancel'
  | 'tasks/result'
  | 'tasks/update';

export interface UpstreamRequest {
  readonly method: UpstreamMethod;
  /** The MCP params object, `_meta` included. */
  readonly params: JsonObject;
  /** Asked at the moment of sending, after every wait: why it must not be sent any more; undefined if it may. */
  readonly withhold?: (() => string | undefined) | undefined;
}

/** Requests that a server may send to a client (MCP, client features). */
export const serverRequestMethods = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const;
export type ServerRequestMethod = (typeof serverRequestMethods)[number];

export interface ServerRequest {
  readonly method: ServerRequestMethod;
  /** The MCP params object. */
  readonly params: JsonObject;
}

/** A question that gets a JSON-RPC error for an answer. */
export class ServerRequestRefused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'ServerRequestRefused';
    this.code = code;
  }
}

/** The signal aborted before the request had left for the server; the message says what it waited for. */
export class NotSent extends Error {}

/**
 * A request of the server could have belonged to several calls, so no caller was asked and the server got an error. The
 * message says so. The server then answered the call with an error.
 */
export class Unasked extends Error {
  /** Whether the server has answered the request. */
  readonly isAnswered: boolean;

  constructor(message: string, isAnswered: boolean) {
    super(message);
    this.isAnswered = isAnswered;
  }
}

/** After a wait the request said that it must not be sent any more; the message says why. */
export class Withheld extends Error {}

/** Receives the progress of a request. */
export interface ProgressListener {
  /** @param progress params of `notifications/progress` without the token */
  onProgress(progress: JsonObject): void;
}

/** The other side of a request while it runs. */
export interface ServerRequestHandler {
  /** Answers what the server asks during the call, with the bare result. @throws ServerRequestRefused */
  onServerRequest(question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject>;
  /**
   * The session holds the request back until the server can take it: not sent yet, it needs no place among those in flight.
   * @returns to be called when it no longer waits
   */
  readonly onHeld?: (() => () => void) | undefined;
  /** The server is asked for progress where this is there. */
  readonly progress?: ProgressListener | undefined;
  /** The params of `notifications/message`. */
  readonly onLogMessage?: ((message: JsonObject) => void) | undefined;
  /** Capabilities of the caller, declared to a 2026-07-28 server with each request. */
  readonly capabilities: JsonObject;
  /** For a server of 2026-07-28: the least severe level of log messages that the caller wants. */
  readonly logLevel?: string | undefined;
}

/** Waits for the result of a request. */
export interface SettleResult extends Settle<JsonObject> {
  /** @param text the JSON text that the result came as, where it may be passed on in its place (`standsFor`) */
  resolve(result: JsonObject, text?: string): void;
}

/** One live connection to one server. It may be used by many calls at once. */
export interface UpstreamSession {
  /** The negotiated MCP revision, such as `2025-11-25`. */
  readonly protocolVersion: string;
  /** Process id of the child, for stdio servers. */
  readonly pid?: number;
  /** How many processes of a stdio server run: more than one while calls of it ask side by side. */
  processes?(): number;
  /** Whether it may answer a call with a task, by the tasks extension of 2026-07-28. */
  readonly hasTasks?: boolean;
  /**
   * Sends one request. It ends with the result object as the server gave it, or with UpstreamFailure when the server is
   * lost or answers with a JSON-RPC error. An aborted signal makes the session send a cancel to the server, and ends
   * the request at once with the signal's reason, or with NotSent. There is no timeout here: the signal is the
   * deadline.
   */
  request(
    request: UpstreamRequest,
    signal: AbortSignalLike,
    handler: ServerRequestHandler | undefined,
    settle: SettleResult,
  ): void;
  /** Replaces the URIs whose updates the server is to report. @throws UpstreamFailure */
  watchResources(uris: readonly string[], signal: AbortSignalLike): Promise<void>;
  /** Reads all pages of all lists the server declares. @throws UpstreamFailure */
  discover(signal: AbortSignalLike): Promise<UpstreamDefinitions>;
  /** `ping` (2025-11-25) or `server/discover` (2026-07-28). @throws UpstreamFailure */
  checkHealth(signal: AbortSignalLike): Promise<void>;
  /** The login that is awaited for the server, or for more of it; undefined most of the time. */
  login?(): PendingLogin | undefined;
  /** Ends the connection and, for a child, its whole process group. Safe to call twice; never rejects. */
  close(): Promise<void>;
}

/** A request of a session, with its end as a promise. @throws UpstreamFailure, NotSent, the signal's reason */
export function requestOf(
  session: Pick<UpstreamSession, 'request'>,
  request: UpstreamRequest,
  signal: AbortSignalLike,
  handler?: ServerRequestHandler,
): Promise<JsonObject> {
  return promised((settle) => session.request(request, signal, handler, settle));
}

/** Notifications of a session. No function is called after `close()` was. */
export interface UpstreamEvents {
  /** The connection ended by itself: child exited, stream died. At most once. */
  readonly onClosed: (reason: string) => void;
  /** Any of the server's lists changed. */
  readonly onListChanged: () => void;
  readonly onResourceUpdated: (uri: string) => void;
  /** A line the child wrote to stderr, or a log notification of the server. */
  readonly onLog: (line: string) => void;
  /** A log notification that belongs to no request: the params of `notifications/message`. */
  readonly onLogMessage: (message: JsonObject) => void;
  /** Answers what the server asks while no request of ours can be meant. @throws ServerRequestRefused */
  readonly onServerRequest: (question: ServerRequest, signal: AbortSignalLike) => Promise<JsonObject>;
}

export interface UpstreamConnector {
  /** Where it looks whether messages are recorded; absent if it has none. */
  readonly frameTap?: FrameTap;
  /**
   * Opens a session: start the child or connect, agree on a protocol revision. Rejects when that fails or the
   * signal aborts, and then leaves nothing behind: no process, no socket.
   * @throws UpstreamFailure
   */
  connect(id: string, server: ServerConfig, events: UpstreamEvents, signal: AbortSignalLike): Promise<UpstreamSession>;
}

/** A JSON-RPC error that the server answered with. */
export interface UpstreamRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Characters of an error's data that are handed on, as JSON. */
export const maxErrorData = 16_384;

/** A person has to log in at an authorization server; the server cannot be used, or not for everything, before. */
export interface PendingLogin {
  /** Nothing of the server can be used before it; else it is for more than can be used already. */
  readonly isRequired: boolean;
  /** The link to open; null when its time ran out. */
  link(): string | null;
  /** Renews the link before a person opens it: where its time ran out, the next attempt brings a new one. */
  renew(): void;
  /** Resolves when connecting again makes sense: logged in, refused, or a new link was asked for. Never rejects. */
  readonly over: Promise<void>;
  /** No caller waits for it any more. */
  cancel(): void;
}

/**
 * Why an upstream gave no result. `unreachable`: it cannot be or is no longer connected; `sent` says whether the
 * request had left before; `login` is there when it waits for a person. `rejected`: it answered with a JSON-RPC error.
 */
export type UpstreamFailureDetail =
  | { readonly kind: 'unreachable'; readonly sent: boolean; readonly login?: PendingLogin }
  | { readonly kind: 'rejected'; readonly error: UpstreamRpcError };

/** A request that failed at a server: it was unreachable, or it answered with a JSON-RPC error. */
export class UpstreamFailure extends Error {
  readonly detail: UpstreamFailureDetail;

  constructor(message: string, detail: UpstreamFailureDetail, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'UpstreamFailure';
    this.detail = detail;
  }
}

/** The login that a failure waits for. */
export function loginOf(error: unknown): PendingLogin | undefined {
  return error instanceof UpstreamFailure && error.detail.kind === 'unreachable' ? error.detail.login : undefined;
}
