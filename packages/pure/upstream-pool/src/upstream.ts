// One upstream server as the rest of Portico uses it: its connection, its circuit, its queue and its log.
import type { JsonObject, ServerConfig, ServerInfo, ServerLogLine, UpstreamDefinitions } from '@portico/contracts';
import { type AdmissionQueue, createAdmissionQueue } from './admission-queue.js';
import { type Admission, createBreaker } from './breaker.js';
import type { Clock } from './clock.js';
import { type ConnectionState, keepConnected } from './connection.js';
import {
  countOf,
  describeCircuit,
  describeConnection,
  describeQueue,
  loginAwaited,
  whyUnreachable,
} from './describe-upstream.js';
import { createLogBuffer } from './log-buffer.js';
import { lendingPlace, provingLife } from './questioned.js';
import { createResourceWatches, type WatchedResources } from './resource-watches.js';
import {
  type Dialogue,
  loginOf,
  NotSent,
  type PendingLogin,
  type Question,
  type UpstreamConnector,
  UpstreamFailure,
  type UpstreamRequest,
  type UpstreamRpcError,
} from './session.js';
import { DeadlinePassed } from './signals.js';

/** Calls in flight to one server at once; the rest queue in order. */
export const maxInFlight = 64;

/** A queued call with less time left than this is not worth sending. */
const worthSendingMs = 10;

/** What became of a request. `sent` says whether it had left for the server. */
export type SendOutcome =
  | { readonly kind: 'answered'; readonly result: JsonObject }
  /** The server answered with a JSON-RPC error. */
  | { readonly kind: 'rejected'; readonly error: UpstreamRpcError }
  | {
      readonly kind: 'unreachable';
      readonly reason: string;
      readonly sent: boolean;
      /** It waits for a person, which says nothing about the server's health. */
      readonly login?: PendingLogin;
    }
  | { readonly kind: 'circuit_open'; readonly failures: number; readonly remainingMs: number }
  /** The signal aborted; its reason tells a passed deadline from a cancel. */
  | {
      readonly kind: 'aborted';
      readonly sent: boolean;
      /** What it waited for in vain, where it was not sent but had a place. */
      readonly waitedFor?: string;
    };

/** Until when a request is worth sending, and the signal that ends it. */
export interface SendDeadline {
  readonly signal: AbortSignal;
  /** Monotonic milliseconds of the clock. */
  readonly atMs: number;
}

export interface Upstream {
  readonly id: string;
  /** Sends one request through circuit, queue and session. Never rejects but for a defect. */
  send(request: UpstreamRequest, deadline: SendDeadline, dialogue?: Dialogue): Promise<SendOutcome>;
  /** Has the server, and whoever takes its place, tell of updates of a resource until the returned function is called. */
  watchResource(uri: string): () => void;
  /** Whether it may answer a call with a task by itself. */
  hasTasks(): boolean;
  /** Resolves once the first attempt to connect is over, whatever came of it. */
  readonly attempted: Promise<void>;
  /** Somebody wants the link of the login that is awaited: one whose time ran out is made anew. */
  renewLogin(): void;
  /** How the server is doing; the counts are of its definitions as last read. It changes nothing. */
  info(): ServerInfo;
  logs(): readonly ServerLogLine[];
  /** Takes no more calls, and ends the connection and its child. Resolves when both are gone. @param graceMs for running calls */
  close(graceMs?: number): Promise<void>;
}

export interface UpstreamDeps {
  readonly connector: UpstreamConnector;
  readonly clock: Clock;
}

export interface UpstreamListener {
  readonly onDefinitions: (id: string, definitions: UpstreamDefinitions) => void;
  readonly onState: (id: string, state: ConnectionState) => void;
  readonly onResourceUpdated: (id: string, uri: string) => void;
  /** A line of the server's own log. */
  readonly onLog: (id: string, line: string) => void;
  /** A log notification that belongs to no request. */
  readonly onLogMessage: (id: string, message: JsonObject) => void;
  /** Answers what a server asks while no request can be meant. @throws QuestionRefused */
  readonly onQuestion: (id: string, question: Question, signal: AbortSignal) => Promise<JsonObject>;
}

/** What an upstream takes over of those of its id before it. */
export interface Inheritance {
  readonly watched: WatchedResources;
  /** Over when they are gone; none where there are none. */
  readonly gone: Promise<void> | undefined;
}

/** Starts to connect in the background, at once or when those before it are gone. */
export function openUpstream(
  deps: UpstreamDeps,
  id: string,
  server: ServerConfig,
  listener: UpstreamListener,
  { watched, gone }: Inheritance,
): Upstream {
  const { clock } = deps;
  const breaker = createBreaker(server.resilience, clock.now);
  const queue = createAdmissionQueue(maxInFlight);
  const log = createLogBuffer(clock.epochMs);
  const stop = new AbortController();
  const watches = createResourceWatches(watched, clock, stop.signal, log.append);
  let connection: ConnectionState = { status: 'connecting' };
  let restarts = 0;
  let counts = { tools: 0, resources: 0, prompts: 0 };
  let isClosing = false;
  const { promise: attempted, resolve: markAttempted } = promised();

  const over = keepConnected(
    deps,
    id,
    server,
    {
      onState(state) {
        connection = state;
        if (state.status !== 'connecting') markAttempted();
        watches.follow(state.status === 'connected' ? state.session : undefined);
        if ('lastError' in state) log.append(`[portico] ${state.status}: ${state.lastError}`);
        if (!isClosing) listener.onState(id, state);
        else if (state.status !== 'connected') stop.abort(); // what is being closed does not come back
      },
      onDefinitions(definitions) {
        counts = countOf(definitions);
        if (!isClosing) listener.onDefinitions(id, definitions);
      },
      onRestart() {
        restarts += 1;
      },
      onLog(line) {
        log.append(line);
        listener.onLog(id, line);
      },
      ...passedOn(id, listener),
    },
    stop.signal,
    gone,
  );

  const send: Upstream['send'] = async (request, deadline, dialogue) => {
    const refusal = refusalOf(id, connection, isClosing);
    if (refusal !== undefined) return refusal;
    const decision = breaker.admit();
    if (!decision.admitted) {
      return { kind: 'circuit_open', failures: decision.failures, remainingMs: decision.remainingMs };
    }
    try {
      const hadToQueue = queue.inFlight() >= maxInFlight;
      const outcome = await sendAdmitted(request, deadline, hadToQueue, provingLife(dialogue, decision.admission));
      report(outcome, decision.admission, deadline.signal, hadToQueue);
      return outcome;
    } finally {
      decision.admission.release(); // does nothing when the outcome was reported
    }
  };

  const sendAdmitted = async (
    request: UpstreamRequest,
    deadline: SendDeadline,
    hadToQueue: boolean,
    dialogue: Dialogue | undefined,
  ): Promise<SendOutcome> => {
    const { signal } = deadline;
    const place = await queue.enter(signal).catch(() => undefined);
    if (place === undefined) return { kind: 'aborted', sent: false };
    try {
      if (hadToQueue && deadline.atMs - clock.now() < worthSendingMs) return await expireUnsent(signal);
      if (connection.status !== 'connected') return notConnected(id, connection);
      const result = await connection.session.request(request, signal, lendingPlace(dialogue, place));
      return { kind: 'answered', result };
    } catch (error) {
      return toOutcome(error, signal);
    } finally {
      place.leave();
    }
  };

  const info = (): ServerInfo => ({
    ...{ id, transport: server.transport.kind, restarts },
    ...{ ...describeConnection(connection), circuit: describeCircuit(breaker), ...describeQueue(queue), ...counts },
  });

  const close = async (graceMs = 0) => {
    isClosing = true;
    await idleWithin(queue, clock, graceMs);
    stop.abort();
    await over;
    markAttempted();
  };

  const hasTasks = () => connection.status === 'connected' && connection.session.hasTasks === true;
  const renewLogin = () => loginAwaited(connection)?.renew();
  return { id, attempted, send, hasTasks, watchResource: watched.add, renewLogin, info, logs: log.lines, close };
}

/** What is told as it comes. */
function passedOn(id: string, listener: UpstreamListener) {
  return {
    onResourceUpdated: (uri: string) => listener.onResourceUpdated(id, uri),
    onLogMessage: (message: JsonObject) => listener.onLogMessage(id, message),
    onQuestion: (question: Question, signal: AbortSignal) => listener.onQuestion(id, question, signal),
  };
}

function promised() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

/** Why a call need not wait for the circuit or a place; it asks for the link of a login that it would need. */
function refusalOf(id: string, connection: ConnectionState, isClosing: boolean): SendOutcome | undefined {
  const unsent = (reason: string) => ({ kind: 'unreachable', reason, sent: false }) as const;
  if (isClosing) return unsent(`server "${id}" is being stopped`);
  if (connection.status === 'connecting') return unsent(`server "${id}" is still connecting`);
  if (connection.status !== 'degraded' || connection.login === undefined) return undefined;
  const { login } = connection;
  login.renew();
  return { ...unsent(whyUnreachable(id, connection)), login };
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

function notConnected(id: string, connection: ConnectionState): SendOutcome {
  return { kind: 'unreachable', reason: whyUnreachable(id, connection), sent: false };
}

/** A call that got its place too late is not sent: nobody would hear its answer. */
function expireUnsent(signal: AbortSignal): Promise<SendOutcome> {
  const outcome = { kind: 'aborted', sent: false } as const;
  if (signal.aborted) return Promise.resolve(outcome);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(outcome), { once: true }));
}

/** Time-outs and lost or missing connections count against the server; whatever it answers shows that it lives. */
function report(outcome: SendOutcome, admission: Admission, signal: AbortSignal, hadToQueue: boolean): void {
  if (outcome.kind === 'answered' || outcome.kind === 'rejected') admission.succeed();
  if (outcome.kind === 'unreachable' && outcome.login === undefined) admission.fail();
  // After a wait in the queue the server had less than the time it is owed.
  const isTimeout = outcome.kind === 'aborted' && outcome.sent && signal.reason instanceof DeadlinePassed;
  if (isTimeout && !hadToQueue) admission.fail();
}

function toOutcome(error: unknown, signal: AbortSignal): SendOutcome {
  if (signal.aborted && error instanceof NotSent) return { kind: 'aborted', sent: false, waitedFor: error.message };
  if (signal.aborted) return { kind: 'aborted', sent: true };
  if (!(error instanceof UpstreamFailure)) throw error;
  if (error.detail.kind === 'rejected') return { kind: 'rejected', error: error.detail.error };
  const login = loginOf(error);
  const outcome = { kind: 'unreachable', reason: error.message, sent: error.detail.sent } as const;
  return login === undefined ? outcome : { ...outcome, login };
}
