// One upstream server as the rest of Portico uses it: its connection, its circuit, its queue and its log.
import { type AbortSignalLike, promised } from '@portico/async';
import type {
  JsonObject,
  Lifecycle,
  RefusalReason,
  ServerConfig,
  ServerInfo,
  ServerLogLine,
  ServerTraits,
  UpstreamDefinitions,
} from '@portico/contracts';
import { type AdmissionQueue, createAdmissionQueue } from './admission-queue.js';
import { createBreaker } from './breaker.js';
import type { Clock } from './clock.js';
import { type ConnectionEvents, type ConnectionState, keepConnected } from './connection.js';
import {
  countOf,
  describeCircuit,
  describeConnection,
  describeQueue,
  describeRestarts,
  type KnownServer,
  lastErrorIn,
  loginAwaited,
} from './describe-upstream.js';
import { createLastWords } from './last-words.js';
import { createLogBuffer } from './log-buffer.js';
import { createRefusedRequests } from './refused-requests.js';
import { createResourceWatches, type WatchedResources } from './resource-watches.js';
import type { SendOutcome, UpstreamState } from './send-outcome.js';
import { createSender, type Dispatch, maxInFlight, type SendDeadline } from './sender.js';
import type {
  ServerRequest,
  ServerRequestHandler,
  ServerRequestMethod,
  UpstreamConnector,
  UpstreamRequest,
} from './session.js';
import { createStarts, isStarting, type Starts } from './starts.js';
import type { Usage } from './usage.js';

export interface Upstream {
  readonly id: string;
  /** Sends one request through circuit, queue and session. */
  readonly dispatch: Dispatch;
  /** As `sendTo` with this one. */
  send(request: UpstreamRequest, deadline: SendDeadline, handler?: ServerRequestHandler): Promise<SendOutcome>;
  /** Has the server, and its replacement, report updates of a resource until the returned function is called. */
  watchResource(uri: string): () => void;
  /** Keeps the server, and its replacement, from being stopped as unused until the returned function is called. */
  hold(): () => void;
  /** Facts that its last session had negotiated, at that moment; undefined before the first. */
  readonly traits: ServerTraits | undefined;
  /** Resolves once the first attempt to connect is over, successful or not; for one that is idle at once. */
  readonly attempted: Promise<void>;
  /** Whether nothing is known of it, and its first attempt to connect is not over. */
  isOnFirstAttempt(): boolean;
  /** From now on it runs as this says. Its session goes on. */
  setLifecycle(lifecycle: Lifecycle): void;
  /** Renews the link of the login that is awaited, where its time ran out. */
  renewLogin(): void;
  /** How the server is doing; the counts are of its definitions as last read. It changes nothing. */
  info(): ServerInfo;
  logs(): readonly ServerLogLine[];
  /** Counts a question of the server that was refused. */
  noteRefused(method: ServerRequestMethod, reason: RefusalReason): void;
  /**
   * Takes no more calls, and ends the connection and its child. Resolves when both have ended. @param graceMs for
   * running calls
   */
  close(graceMs?: number): Promise<void>;
}

export interface UpstreamDeps {
  readonly connector: UpstreamConnector;
  readonly clock: Clock;
  /** After which a server that was given up on is tried once more, milliseconds; never where it is absent. */
  readonly retryGivenUpMs?: (() => number) | undefined;
  /** Whether calls to a server wait while its changed lists are read; not where it is absent. */
  readonly holdsWhileListing?: ((id: string) => boolean) | undefined;
  /** How many requests of one principal may wait for a place at one server; any number where it is absent. */
  readonly maxQueued?: (() => number) | undefined;
  /** Whether there are several principals, and each leaves places at a server for the others; not where it is absent. */
  readonly isShared?: (() => boolean) | undefined;
}

export interface UpstreamListener {
  /** Time to get ready for many definitions: `onDefinitions` waits for it. */
  readonly prepare?: (id: string, definitions: UpstreamDefinitions) => Promise<void> | undefined;
  readonly onDefinitions: (id: string, definitions: UpstreamDefinitions, traits: ServerTraits) => void;
  readonly onState: (id: string, state: ConnectionState) => void;
  readonly onResourceUpdated: (id: string, uri: string) => void;
  /** A line of the server's own log. */
  readonly onLog: (id: string, line: string) => void;
  /** A log notification that belongs to no request. */
  readonly onLogMessage: (id: string, message: JsonObject) => void;
  /** Answers what a server asks while no request can be meant. @throws ServerRequestRefused */
  readonly onServerRequest: (id: string, question: ServerRequest, signal: AbortSignalLike) => Promise<JsonObject>;
}

/** State that an upstream takes over from its predecessor of the same id. */
export interface Inheritance {
  readonly watched: WatchedResources;
  readonly usage: Usage;
  /** The end of the predecessors; undefined if there are none. */
  readonly gone: Promise<void> | undefined;
  /** Facts about it from earlier sessions. An unknown server is connected once, even a lazy one. */
  readonly known: KnownServer | undefined;
  /** Whether it is connected once, known or not. */
  readonly isWanted: boolean;
}

/**
 * Starts to connect in the background, at once or when its predecessors have ended; a lazy server when it is needed.
 */
export function openUpstream(
  deps: UpstreamDeps,
  id: string,
  server: ServerConfig,
  listener: UpstreamListener,
  { watched, usage, gone, known, isWanted }: Inheritance,
): Upstream {
  const { clock } = deps;
  const breaker = createBreaker(server.resilience, clock.now);
  const queue = createAdmissionQueue(maxInFlight, { maxWaiting: deps.maxQueued, isShared: deps.isShared });
  const log = createLogBuffer(clock.epochMs);
  const stop = new AbortController();
  const watches = createResourceWatches(watched, clock, stop.signal, log.append);
  const starts = createStarts();
  const state = stateAtStart(known);
  const refused = createRefusedRequests();
  const words = createLastWords(server.transport.kind === 'stdio');
  let restarts = 0;
  let counts = known?.counts ?? { tools: 0, resources: 0, prompts: 0 };
  let isAttempted = false;
  const { promise: attempted, resolve: endFirstAttempt } = withResolver();
  const markAttempted = () => {
    isAttempted = true;
    endFirstAttempt();
  };

  const events: ConnectionEvents = {
    onState(connection) {
      state.connection = connection;
      words.follow(connection);
      if (connection.status !== 'connecting') markAttempted();
      if (connection.status === 'connected' && server.transport.kind === 'stdio') breaker.restarted();
      settleStarts(state, starts);
      watches.follow(connection.status === 'connected' ? connection.session : undefined);
      log.append(...noteOf(connection));
      if (!state.isClosing) listener.onState(id, connection);
      else if (connection.status !== 'connected') stop.abort(); // what is being closed does not come back
    },
    ...listingEvents(state, starts, () => deps.holdsWhileListing?.(id) === true),
    onDefinitions(definitions, read) {
      counts = countOf(definitions);
      state.traits = read;
      if (!state.isClosing) listener.onDefinitions(id, definitions, read);
    },
    onRestart() {
      restarts += 1;
    },
    onLog(line) {
      words.noteLine(line);
      log.append(line);
      listener.onLog(id, line);
    },
    ...passedOn(id, listener, usage),
  };
  const kept = { events, usage, isWanted: isWanted || known === undefined, signal: stop.signal, after: gone };
  const over = keepConnected(deps, id, server, kept);

  const dispatch = createSender({ id, clock, breaker, queue, usage, starts, state });

  const info = (): ServerInfo => ({
    id,
    transport: server.transport.kind,
    ...describeRestarts(server.transport.kind, restarts),
    ...describeConnection(state.connection),
    ...words.describe(lastErrorIn(state.connection)),
    circuit: describeCircuit(breaker),
    ...describeQueue(queue),
    ...counts,
    ...refused.describe(),
  });

  const close = async (graceMs = 0) => {
    state.isClosing = true;
    await idleWithin(queue, clock, graceMs);
    stop.abort();
    await over;
    markAttempted();
    starts.end();
  };

  return Object.assign(state, {
    id,
    attempted,
    isOnFirstAttempt: () => state.traits === undefined && !isAttempted,
    dispatch,
    info,
    logs: log.lines,
    close,
    send: (...[request, deadline, handler]: Parameters<Upstream['send']>) =>
      sendTo({ dispatch }, request, deadline, handler),
    watchResource: (uri: string) => both(watched.add(uri), usage.add()),
    hold: usage.add,
    noteRefused: refused.note,
    setLifecycle: usage.follow,
    renewLogin: () => loginAwaited(state.connection)?.renew(),
  });
}

function stateAtStart(known: KnownServer | undefined): UpstreamState {
  return { connection: { status: 'connecting' }, isClosing: false, isListing: false, traits: known?.traits };
}

/** Calls that wait for a start go on once it is over. The lists of the next session are read before it is used. */
function settleStarts(state: UpstreamState, starts: Pick<Starts, 'end'>): void {
  if (state.connection.status !== 'connected') state.isListing = false;
  if (!isStarting(state.connection)) starts.end();
}

/** While the changed lists are read, calls wait where one of them may be of what is not to be used any more. */
function listingEvents(
  state: UpstreamState,
  starts: Pick<Starts, 'end'>,
  isToHold: () => boolean,
): Pick<ConnectionEvents, 'onListsStale' | 'onListsRead'> {
  return {
    onListsStale() {
      state.isListing = isToHold();
      return state.isListing;
    },
    onListsRead() {
      state.isListing = false;
      starts.end();
    },
  };
}

/** `dispatch`, with its end as a promise. */
export function sendTo(
  upstream: Pick<Upstream, 'dispatch'>,
  request: UpstreamRequest,
  deadline: SendDeadline,
  handler?: ServerRequestHandler,
): Promise<SendOutcome> {
  return promised((settle) => upstream.dispatch(request, deadline, handler, settle));
}

/** Log lines for a state. */
function noteOf(state: ConnectionState): readonly string[] {
  if (state.status === 'idle') return ['[portico] idle: it starts when something needs it'];
  return 'lastError' in state ? [`[portico] ${state.status}: ${state.lastError}`] : [];
}

function both(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

/** Events that are passed on unchanged. */
function passedOn(id: string, listener: UpstreamListener, usage: Usage) {
  return {
    prepare: (definitions: UpstreamDefinitions) => listener.prepare?.(id, definitions),
    onResourceUpdated: (uri: string) => listener.onResourceUpdated(id, uri),
    onLogMessage: (message: JsonObject) => listener.onLogMessage(id, message),
    async onServerRequest(question: ServerRequest, signal: AbortSignalLike) {
      const release = usage.add();
      try {
        return await listener.onServerRequest(id, question, signal);
      } finally {
        release();
      }
    },
  };
}

function withResolver() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

/** Resolves when no call runs or waits for a person, or after the time. */
function idleWithin(queue: AdmissionQueue, clock: Clock, ms: number): Promise<void> {
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    void queue.idle().then(() => {
      cancel();
      resolve();
    });
  });
}
