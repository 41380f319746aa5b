// The way of a request to one server: through its circuit, its queue and its session, which the server may have to
// open first.
import { type AbortSignalLike, QueueFull, type Settle } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type { AdmissionQueue, Permit } from './admission-queue.js';
import type { Admission, AdmissionDecision, Breaker } from './breaker.js';
import type { Clock } from './clock.js';
import type { ConnectionState } from './connection.js';
import { PermitHolder } from './permit-holder.js';
import {
  expireUnsent,
  notConnected,
  notStarted,
  refusalOf,
  report,
  type SendOutcome,
  toOutcome,
} from './send-outcome.js';
import type { ServerRequestHandler, UpstreamRequest } from './session.js';
import { isStarting, type Starts } from './starts.js';
import type { Usage } from './usage.js';

/** Calls in flight to one server at once; the rest queue, and principals take turns. */
export const maxInFlight = 64;

/** A queued call with less time left than this is not worth sending. */
const worthSendingMs = 10;

/** Until when a request is worth sending, and the signal that ends it. */
export interface SendDeadline {
  readonly signal: AbortSignalLike;
  /** Monotonic milliseconds of the clock. */
  readonly atMs: number;
  /** Whose place and turn it takes; those of none share theirs. Looked at only where few places are free. */
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
  /** As it is at that moment. */
  readonly connection: () => ConnectionState;
  readonly isClosing: () => boolean;
  /** Whether calls wait for its start, rather than being told of it. */
  readonly mayWait: () => boolean;
}

export function createSender(deps: SenderDeps): Dispatch {
  const { id, breaker, connection, isClosing, mayWait } = deps;
  return (request, deadline, handler, settle) => {
    const refused = refusalOf(id, connection(), isClosing(), mayWait());
    if (refused !== undefined) return settle.resolve(refused);
    const decision = breaker.admit();
    if (decision.admitted) new Sending(deps, { request, deadline, handler, settle }, decision.admission).begin();
    else settle.resolve(circuitOpen(decision));
  };
}

function circuitOpen({ failures, remainingMs }: Refused): SendOutcome {
  return { kind: 'circuit_open', failures, remainingMs };
}

function fullOrGivenUp(reason: unknown): QueueFull | undefined {
  return reason instanceof QueueFull ? reason : undefined;
}

type Refused = Extract<AdmissionDecision, { readonly admitted: false }>;

interface Asked {
  readonly request: UpstreamRequest;
  readonly deadline: SendDeadline;
  readonly handler: ServerRequestHandler | undefined;
  readonly settle: Settle<SendOutcome>;
}

/** A request that its circuit let through. */
class Sending implements Settle<JsonObject> {
  readonly #deps: SenderDeps;
  readonly #asked: Asked;
  readonly #admission: Admission;
  readonly #release: () => void;
  #permit: Permit | undefined;
  #hadToWait = false;

  constructor(deps: SenderDeps, asked: Asked, admission: Admission) {
    this.#deps = deps;
    this.#asked = asked;
    this.#admission = admission;
    this.#release = deps.usage.add(); // a refused call starts nothing
  }

  begin(): void {
    const { queue, connection } = this.#deps;
    const { signal } = this.#asked.deadline;
    this.#permit = signal.aborted ? undefined : queue.tryEnter(this.#asked.deadline);
    if (this.#permit !== undefined && !isStarting(connection())) this.#contact(this.#permit);
    else this.#beginLater().catch((error: unknown) => this.reject(error));
  }

  resolve(result: JsonObject): void {
    this.#end({ kind: 'answered', result });
  }

  reject(error: unknown): void {
    const { deadline, settle } = this.#asked;
    try {
      this.#end(toOutcome(error, deadline.signal));
    } catch (defect) {
      this.#letGo();
      settle.reject(defect);
    }
  }

  /** When there is a permit, and when the server has started. */
  async #beginLater(): Promise<void> {
    const { queue, connection, starts, clock } = this.#deps;
    const { deadline } = this.#asked;
    const { signal } = deadline;
    this.#hadToWait = true;
    const permit = this.#permit ?? (await queue.enter(signal, deadline).catch(fullOrGivenUp));
    if (permit instanceof QueueFull) return this.#end({ kind: 'queue_full', held: permit.held, limit: permit.limit });
    this.#permit = permit;
    if (permit === undefined) return this.#end({ kind: 'aborted', sent: false });
    if (isStarting(connection()) && !(await starts.over(signal))) return this.#end(notStarted(signal));
    const leftMs = deadline.atMs - clock.now();
    if (leftMs < worthSendingMs) return this.#end(await expireUnsent(signal));
    if (signal.aborted) return this.#end({ kind: 'aborted', sent: false }); // as it got its permit
    this.#contact(permit);
  }

  #contact(permit: Permit): void {
    const { id, connection, isClosing, mayWait } = this.#deps;
    const { request, deadline, handler } = this.#asked;
    const now = connection();
    try {
      const own = handler && new PermitHolder(handler, this.#admission, permit);
      const reason = now.status === 'connected' ? request.withhold?.() : undefined;
      if (reason !== undefined) this.#end({ kind: 'withheld', reason });
      else if (now.status === 'connected') now.session.request(request, deadline.signal, own, this);
      else this.#end(refusalOf(id, now, isClosing(), mayWait()) ?? notConnected(id, now));
    } catch (error) {
      this.reject(error);
    }
  }

  #end(outcome: SendOutcome): void {
    const { deadline, settle } = this.#asked;
    report(outcome, this.#admission, deadline.signal, this.#hadToWait);
    this.#letGo();
    settle.resolve(outcome);
  }

  #letGo(): void {
    this.#permit?.release();
    this.#admission.release(); // does nothing when the outcome was reported
    this.#release();
  }
}
