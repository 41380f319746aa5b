// The way of a request to one server: through its circuit, its queue and its session, which the server may have to
// open first.
import { type AbortSignalLike, QueueFull, type Settle } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import { type AdmissionQueue, noPermit, type PermitHolder } from './admission-queue.js';
import type { AdmittedCall, Breaker } from './breaker.js';
import type { Clock } from './clock.js';
import {
  expireUnsent,
  isFault,
  notConnected,
  notStarted,
  refusalOf,
  type SendOutcome,
  toOutcome,
  type UpstreamState,
} from './send-outcome.js';
import type { ServerRequest, ServerRequestHandler, SettleResult, UpstreamRequest } from './session.js';
import { isStarting, type Starts } from './starts.js';
import type { Usage } from './usage.js';

/** Calls in flight to one server at once; the rest queue, and principals take turns. */
export const maxInFlight = 64;

/** A queued call with less time left than this is not worth sending. */
const worthSendingMs = 10;

/** How long a request is worth sending, and the signal that ends it. */
export interface SendDeadline {
  readonly signal: AbortSignalLike;
  /** Monotonic milliseconds of the clock. */
  readonly atMs: number;
  /**
   * Set as the request is handed to its session, monotonic milliseconds: before that it waited for its place, and for its
   * server to start.
   */
  sentAtMs?: number | undefined;
  /**
   * The principal whose permit and turn it takes; requests without one share theirs. Read only where few permits are
   * free.
   */
  readonly principal?: string | undefined;
}

/** Sends one request. It ends with its outcome, at once where it is refused, and is rejected only for a defect. */
export type Dispatch = (
  request: UpstreamRequest,
  deadline: SendDeadline,
  handler: ServerRequestHandler | undefined,
  settle: Settle<SendOutcome>,
) => void;

export interface SenderDeps {
  readonly id: string;
  readonly clock: Clock;
  readonly breaker: Breaker;
  readonly queue: AdmissionQueue;
  readonly usage: Usage;
  readonly starts: Starts;
  readonly state: Readonly<UpstreamState>;
}

export function createSender(deps: SenderDeps): Dispatch {
  const { id, breaker, state } = deps;
  return (request, deadline, handler, settle) => {
    const isReady = state.connection.status === 'connected' && !state.isClosing;
    const refused = isReady ? undefined : refusalOf(id, state);
    if (refused !== undefined) return settle.resolve(refused);
    const sending = new Sending(deps, request, deadline, handler, settle);
    const isOpen = breaker.isCalm ? undefined : breaker.admit(sending);
    if (isOpen === undefined) sending.begin();
    else settle.resolve({ kind: 'circuit_open', ...isOpen });
  };
}

/** The end of a request that failed from a defect. */
interface Defect {
  readonly kind: 'defect';
  readonly error: unknown;
}

/**
 * A request on its way: what its circuit lets through, holds a permit, receives the reply, and answers what the server
 * asks before it.
 */
class Sending implements AdmittedCall, PermitHolder, ServerRequestHandler, SettleResult {
  admission: AdmittedCall['admission'] = 'plain';
  permitAt = noPermit;
  lent = 0;
  readonly capabilities: JsonObject;
  readonly logLevel: ServerRequestHandler['logLevel'];
  readonly progress: ServerRequestHandler['progress'];
  readonly onLogMessage: ServerRequestHandler['onLogMessage'];
  readonly #deps: SenderDeps;
  readonly #request: UpstreamRequest;
  readonly #deadline: SendDeadline;
  readonly #handler: ServerRequestHandler | undefined;
  readonly #settle: Settle<SendOutcome>;
  #hadToWait = false;
  #isInUse = false;

  constructor(
    deps: SenderDeps,
    request: UpstreamRequest,
    deadline: SendDeadline,
    handler: ServerRequestHandler | undefined,
    settle: Settle<SendOutcome>,
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#deadline = deadline;
    this.#handler = handler;
    this.#settle = settle;
    this.capabilities = handler?.capabilities ?? nothing;
    this.logLevel = handler?.logLevel;
    this.progress = handler?.progress;
    this.onLogMessage = handler?.onLogMessage;
  }

  get principal(): string | undefined {
    return this.#deadline.principal;
  }

  begin(): void {
    const { queue, state, usage } = this.#deps;
    usage.begin(); // a refused call starts nothing
    this.#isInUse = true;
    const isAdmitted = !this.#deadline.signal.aborted && queue.tryEnter(this) && !state.isListing;
    const { connection } = state;
    if (isAdmitted && (connection.status === 'connected' || !isStarting(connection))) this.#contact();
    else this.#beginLater().catch((error: unknown) => this.reject(error));
  }

  resolve(result: JsonObject, resultText?: string): void {
    this.#end({ kind: 'answered', result, resultText });
  }

  reject(error: unknown): void {
    this.#end(outcomeOf(error, this.#deadline.signal));
  }

  /**
   * A server that asks something before it answers is alive, however long its caller thinks. It does not work on the call
   * until the answer is there, so another call may have the permit.
   */
  async onServerRequest(question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject> {
    if (this.#handler === undefined) throw new Error('a request without a caller was asked something');
    const { breaker, queue } = this.#deps;
    const takeBack = queue.lend(this);
    try {
      if (this.#isInUse) breaker.succeed(this); // one that has ended has nothing to report
      return await this.#handler.onServerRequest(question, signal);
    } finally {
      takeBack();
    }
  }

  /** The server does not work on it yet, so another call may have the permit; and it will have less than its full time. */
  onHeld(): () => void {
    this.#hadToWait = true;
    return this.#deps.queue.lend(this);
  }

  /** When there is a permit, and when the server has started. */
  async #beginLater(): Promise<void> {
    const { queue, state, starts, clock } = this.#deps;
    const deadline = this.#deadline;
    const { signal } = deadline;
    this.#hadToWait = true;
    const isFull = this.permitAt === noPermit ? await queue.enter(this, signal).catch(fullOrGivenUp) : undefined;
    if (isFull instanceof QueueFull) return this.#end({ kind: 'queue_full', held: isFull.held, limit: isFull.limit });
    if (this.permitAt === noPermit) return this.#end({ kind: 'aborted', sent: false });
    while (isStarting(state.connection) || state.isListing) {
      if (!(await starts.over(signal))) return this.#end(notStarted(signal, state.isListing));
      if (!state.isListing) break;
    }
    const leftMs = deadline.atMs - clock.now();
    if (leftMs < worthSendingMs) return this.#end(await expireUnsent(signal));
    if (signal.aborted) return this.#end({ kind: 'aborted', sent: false }); // as it got its permit
    this.#contact();
  }

  #contact(): void {
    const { id, state, clock } = this.#deps;
    const { connection } = state;
    try {
      const reason = connection.status === 'connected' ? this.#request.withhold?.() : undefined;
      if (reason !== undefined) this.#end({ kind: 'withheld', reason });
      else if (connection.status === 'connected') {
        const handler = this.#handler === undefined ? undefined : this;
        this.#deadline.sentAtMs = clock.now();
        connection.session.request(this.#request, this.#deadline.signal, handler, this);
      } else this.#end(refusalOf(id, state) ?? notConnected(id, connection));
    } catch (error) {
      this.reject(error);
    }
  }

  /** Reports how it ended, after its permit is free. Every answer of a server shows that it is alive. */
  #end(outcome: SendOutcome | Defect): void {
    const { breaker, queue, usage } = this.#deps;
    const settle = this.#settle;
    if (outcome.kind === 'answered' || outcome.kind === 'rejected' || outcome.kind === 'unasked') {
      if (!breaker.isCalm || this.admission !== 'plain') breaker.succeed(this);
    } else if (outcome.kind !== 'defect' && isFault(outcome, this.#deadline.signal, this.#hadToWait)) {
      breaker.fail(this, outcome.kind === 'unreachable' && !outcome.sent);
    }
    queue.leave(this);
    if (this.admission === 'probe') breaker.release(this); // it had no outcome to report
    if (this.#isInUse) usage.end();
    this.#isInUse = false;
    if (outcome.kind === 'defect') settle.reject(outcome.error);
    else settle.resolve(outcome);
  }
}

const nothing: JsonObject = {};

function outcomeOf(error: unknown, signal: AbortSignalLike): SendOutcome | Defect {
  try {
    return toOutcome(error, signal);
  } catch (defect) {
    return { kind: 'defect', error: defect };
  }
}

function fullOrGivenUp(reason: unknown): QueueFull | undefined {
  return reason instanceof QueueFull ? reason : undefined;
}
