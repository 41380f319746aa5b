// Upstream servers that live in this process: what they offer and answer is data and functions. It never does I/O.
import { type AbortSignalLike, settleWith, untilAborted } from '@portico/async';
import type { JsonObject, UpstreamDefinitions } from '@portico/contracts';
import {
  type PendingLogin,
  type ServerRequest,
  type ServerRequestHandler,
  type SettleResult,
  type UpstreamConnector,
  type UpstreamEvents,
  UpstreamFailure,
  type UpstreamRequest,
  type UpstreamSession,
} from './session.js';

/** One server: every field has a default that works. A function that never settles makes the server hang there. */
export interface MemoryServer {
  readonly definitions?: Partial<UpstreamDefinitions>;
  /** Answers a request; throws UpstreamFailure where a real server would fail. The default answers `{}`. */
  readonly handle?: (
    request: UpstreamRequest,
    signal: AbortSignalLike,
    handler: ServerRequestHandler | undefined,
  ) => JsonObject | Promise<JsonObject>;
  /** The JSON text that a result comes as; none by default. */
  readonly textOf?: (result: JsonObject) => string | undefined;
  /** Runs before the n-th connection (n from 1) is there; throws to refuse it. */
  readonly onConnect?: (attempt: number) => void | Promise<void>;
  /** Runs before lists are read; throws where a real server would fail. */
  readonly onDiscover?: () => void | Promise<void>;
  /** Runs at a health check; throws when the server is not well. */
  readonly onHealthCheck?: () => void | Promise<void>;
  /** The login that its sessions say is awaited. */
  readonly login?: () => PendingLogin | undefined;
  /** The default is `2025-11-25`. */
  readonly protocolVersion?: string;
  readonly pid?: number;
  /** The default is false. */
  readonly hasTasks?: boolean;
}

/** The record of one server, and its notifications. */
export interface MemoryServerControl {
  /** Connections asked for, failed ones included. */
  connects(): number;
  /** Sessions that are open now. */
  sessions(): number;
  /** How often the lists were read. */
  discoveries(): number;
  /** Requests that arrived, in order. */
  requests(): readonly UpstreamRequest[];
  /** Requests that the caller cancelled after they had arrived, in order of cancelling. */
  cancels(): readonly UpstreamRequest[];
  /** Ends every open session as a crash would: requests on the way are lost. */
  drop(reason: string): void;
  /** Replaces the lists that are named and says so to every open session. */
  change(definitions: Partial<UpstreamDefinitions>): void;
  updateResource(uri: string): void;
  log(line: string): void;
  logMessage(message: JsonObject): void;
  /** Asks something while no request is meant, of the first open session. */
  ask(question: ServerRequest): Promise<JsonObject>;
  /** URIs of resources that the last session was asked to watch. */
  watched(): readonly string[];
}

export interface MemoryConnector extends UpstreamConnector {
  /** @throws Error when there is no such server */
  server(id: string): MemoryServerControl;
}

interface Running extends MemoryServerControl {
  connect(events: UpstreamEvents, signal: AbortSignalLike): Promise<UpstreamSession>;
}

/** The in-memory implementation of UpstreamConnector. @param servers by server id */
export function createMemoryConnector(servers: Readonly<Record<string, MemoryServer>>): MemoryConnector {
  const running = new Map(Object.entries(servers).map(([id, server]) => [id, runServer(server)]));
  return {
    async connect(id, _config, events, signal) {
      const server = running.get(id);
      if (server === undefined) throw unreachable(`there is no server "${id}"`, false);
      return await server.connect(events, signal);
    },
    server(id) {
      const server = running.get(id);
      if (server === undefined) throw new Error(`there is no server "${id}"`);
      return server;
    },
  };
}

interface OpenSession {
  readonly events: UpstreamEvents;
  /** Ends a request on the way, one a request. */
  readonly onLost: Set<(failure: UpstreamFailure) => void>;
}

function runServer(server: MemoryServer): Running {
  const open = new Set<OpenSession>();
  const requests: UpstreamRequest[] = [];
  const cancels: UpstreamRequest[] = [];
  let definitions = withAllLists(server.definitions ?? {});
  let connects = 0;
  let discoveries = 0;
  let watched: readonly string[] = [];

  const request = async (
    own: OpenSession,
    request: UpstreamRequest,
    signal: AbortSignalLike,
    handler: ServerRequestHandler | undefined,
  ): Promise<JsonObject> => {
    if (!open.has(own)) throw unreachable('the connection is closed', false);
    signal.throwIfAborted();
    requests.push(request);
    const cancel = () => cancels.push(request);
    signal.addEventListener('abort', cancel, { once: true });
    let lose = (_failure: UpstreamFailure) => {};
    const answer = new Promise<JsonObject>((resolve, reject) => {
      lose = reject;
      own.onLost.add(lose);
      run(() => server.handle?.(request, signal, handler) ?? {}).then(resolve, reject);
    });
    try {
      return await untilAborted(answer, signal);
    } finally {
      own.onLost.delete(lose);
      signal.removeEventListener('abort', cancel);
    }
  };

  const end = (own: OpenSession, reason: string): boolean => {
    const wasOpen = open.delete(own);
    for (const lose of own.onLost) lose(unreachable(reason, true));
    return wasOpen;
  };

  const connect = async (events: UpstreamEvents, signal: AbortSignalLike): Promise<UpstreamSession> => {
    connects += 1;
    const attempt = connects;
    await untilAborted(
      run(() => server.onConnect?.(attempt)),
      signal,
    );
    const own: OpenSession = { events, onLost: new Set() };
    open.add(own);
    watched = []; // a session knows nothing of those before
    return {
      protocolVersion: server.protocolVersion ?? '2025-11-25',
      ...(server.pid === undefined ? {} : { pid: server.pid }),
      hasTasks: server.hasTasks === true,
      ...(server.login === undefined ? {} : { login: server.login }),
      request: (asked, asking, handler, settle) => answerWith(server, settle, request(own, asked, asking, handler)),
      async watchResources(uris) {
        watched = [...uris];
      },
      async discover(asking) {
        discoveries += 1;
        await untilAborted(
          run(() => server.onDiscover?.()),
          asking,
        );
        return definitions;
      },
      checkHealth: (asking) =>
        untilAborted(
          run(() => server.onHealthCheck?.()),
          asking,
        ),
      close: async () => void end(own, 'the connection was closed'),
    };
  };

  return {
    connect,
    connects: () => connects,
    sessions: () => open.size,
    discoveries: () => discoveries,
    requests: () => [...requests],
    cancels: () => [...cancels],
    drop(reason) {
      for (const own of [...open]) if (end(own, reason)) own.events.onClosed(reason);
    },
    change(changed) {
      definitions = { ...definitions, ...changed };
      for (const { events } of open) events.onListChanged();
    },
    ...unasked(open),
    watched: () => watched,
  };
}

function answerWith({ textOf }: MemoryServer, settle: SettleResult, work: Promise<JsonObject>): void {
  const resolve = (result: JsonObject) => settle.resolve(result, textOf?.(result));
  settleWith({ resolve, reject: (error) => settle.reject(error) }, work);
}

/** The notifications that the server sends. */
function unasked(open: ReadonlySet<OpenSession>): Pick<Running, 'updateResource' | 'log' | 'logMessage' | 'ask'> {
  return {
    updateResource(uri) {
      for (const { events } of open) events.onResourceUpdated(uri);
    },
    log(line) {
      for (const { events } of open) events.onLog(line);
    },
    logMessage(message) {
      for (const { events } of open) events.onLogMessage(message);
    },
    async ask(question) {
      const [session] = open;
      if (session === undefined) throw new Error('the server has no open session');
      return session.events.onServerRequest(question, new AbortController().signal);
    },
  };
}

function withAllLists(definitions: Partial<UpstreamDefinitions>): UpstreamDefinitions {
  return { tools: [], resources: [], resourceTemplates: [], prompts: [], ...definitions };
}

/** A function of the server's owner as a promise, whether it waits, answers or throws at once. */
async function run<T>(work: () => T | Promise<T>): Promise<T> {
  return await work();
}

function unreachable(message: string, sent: boolean): UpstreamFailure {
  return new UpstreamFailure(message, { kind: 'unreachable', sent });
}
