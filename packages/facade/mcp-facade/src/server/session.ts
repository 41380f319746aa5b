// A client with a permanent connection: a session of 2025-11-25 over HTTP, or the other end of a pipe.
import type { McpServer } from '@modelcontextprotocol/server';
import { errorEnvelope, isAtLeast, isLogLevel, type JsonObject, nothingSent, PorticoError } from '@portico/contracts';
import type { Caller } from '@portico/control-plane';
import type { Connection, Era } from '../calls/connection.js';
import { invalidParams, requestFailure } from '../calls/failures.js';
import { createFirstWait } from '../calls/first-wait.js';
import type { ListKind } from '../changes/list-changes.js';
import type { McpFacadeDeps } from '../deps.js';
import { buildServer, type ServerInput, type SessionMethods, type SurfaceOf } from './build-server.js';
import { textParam } from './params.js';
import { createWatches } from './watches.js';

export interface Session {
  readonly mcp: McpServer;
  readonly connection: Connection;
  sendListChanged(kind: ListKind): void;
  sendResourceUpdated(server: string, uri: string): void;
  /** A log message of a server that belongs to no call. */
  sendLogMessage(server: string, message: JsonObject): void;
  /** Stops watching. The owner of the session ends its connection. */
  close(): void;
}

export interface SessionInput {
  readonly deps: McpFacadeDeps;
  readonly surfaceOf: SurfaceOf;
  readonly era: Era;
  readonly caller: Caller;
  /** The URIs under which a resource is watched by other means than `resources/subscribe`. */
  readonly listenedUris?: (server: string, uri: string) => readonly string[];
  readonly onRequest?: NonNullable<ServerInput['onRequest']>;
}

/** The log level of a session before the client sets one. */
const defaultLogLevel = 'info';

/** @param onReady called when the client is ready for notifications */
export function createSession(
  { deps, surfaceOf, era, caller, listenedUris = () => [], onRequest = () => undefined }: SessionInput,
  onReady: (session: Session) => void,
): Session {
  let logLevel = defaultLogLevel;
  const surface = () => surfaceOf(caller);
  const watches = createWatches(deps.plane, caller, surface);
  const sessionMethods: SessionMethods = {
    'logging/setLevel': ({ level }) => {
      if (!isLogLevel(level)) throw invalidParams('params.level: not a log level');
      logLevel = level;
      return {};
    },
    'resources/subscribe': async (params) => {
      const uri = textParam(params, 'uri');
      if (!(await watches.add(uri).catch(asRequestFailure))) throw invalidParams(`Resource not found: ${uri}`, { uri });
      return {};
    },
    'resources/unsubscribe': (params) => {
      watches.remove(textParam(params, 'uri'));
      return {};
    },
  };
  const capabilities = () => (mcp.server.getClientCapabilities() ?? {}) as unknown as JsonObject; // JSON from the wire
  const firstWait = createFirstWait(deps.plane, {});
  const connection = { era, caller, capabilities, logLevel: () => logLevel, firstWait };
  const mcp = buildServer({ deps, surfaceOf, connection, sessionMethods, onRequest });
  const notify = (method: string, params?: JsonObject) => {
    mcp.server.notification(params === undefined ? { method } : { method, params }).catch(() => {}); // the client has left, and the session ends by itself
  };
  const session: Session = {
    mcp,
    connection,
    sendListChanged: (kind) => notify(`notifications/${kind}/list_changed`),
    sendResourceUpdated(server, uri) {
      const uris = [...watches.urisOf(server, uri), ...listenedUris(server, uri)];
      for (const watched of uris) notify('notifications/resources/updated', { uri: watched });
    },
    sendLogMessage(server, message) {
      if (era === 'modern' || !isAtLeast(message.level, logLevel)) return;
      if (deps.plane.state().view(caller)?.showsServer(server) !== true) return;
      notify('notifications/message', message);
    },
    close: watches.close,
  };
  if (era === 'modern') onReady(session);
  else {
    mcp.server.oninitialized = () => {
      onRequest(undefined); // its first call may already be served without the SDK
      onReady(session);
    };
  }
  return session;
}

function asRequestFailure(error: unknown): never {
  if (!(error instanceof PorticoError)) throw error;
  throw requestFailure('legacy', errorEnvelope({ requestId: null, traceId: '' }, nothingSent, error));
}
