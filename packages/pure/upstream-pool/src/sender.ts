// The way of a request to one server: through its circuit, its queue and its session, which the server may have to
// open first.
import type { AbortSignalLike } from '@portico/async';
import type { AdmissionQueue } from './admission-queue.js';
import type { Admission, Breaker } from './breaker.js';
import type { Clock } from './clock.js';
import type { ConnectionState } from './connection.js';
import type { Demand } from './demand.js';
import { PlacedDialogue } from './placed-dialogue.js';
import {
  expireUnsent,
  notConnected,
  notStarted,
  refusalOf,
  report,
  type SendOutcome,
  toOutcome,
} from './send-outcome.js';
import type { Dialogue, UpstreamRequest } from './session.js';
import { isStarting, type Starts } from './starts.js';

/** Calls in flight to one server at once; the rest queue in order. */
export const maxInFlight = 64;

/** A queued call with less time left than this is not worth sending. */
const worthSendingMs = 10;

/** Until when a request is worth sending, and the signal that ends it. */
export interface SendDeadline {
  readonly signal: AbortSignalLike;
  /** Monotonic milliseconds of the clock. */
  readonly atMs: number;
}

/** Sends one request. Never rejects but for a defect. */
export type Send = (request: UpstreamRequest, deadline: SendDeadline, dialogue?: Dialogue) => Promise<SendOutcome>;

export interface SenderDeps {
  readonly id: string;
  readonly clock: Clock;
  readonly breaker: Breaker;
  readonly queue: AdmissionQueue;
  readonly demand: Demand;
  readonly starts: Starts;
  /** As it is at that moment. */
  readonly connection: () => ConnectionState;
  readonly isClosing: () => boolean;
  /** Whether calls wait for its start, rather than being told of it. */
  readonly mayWait: () => boolean;
}

export function createSender(deps: SenderDeps): Send {
  const { id, clock, breaker, queue, demand, starts, connection, isClosing, mayWait } = deps;
  const refusal = () => refusalOf(id, connection(), isClosing(), mayWait());

  const sendAdmitted = async (
    request: UpstreamRequest,
    deadline: SendDeadline,
    admission: Admission,
    wait: { hadTo: boolean },
    dialogue: Dialogue | undefined,
  ): Promise<SendOutcome> => {
    const { signal } = deadline;
    const place = signal.aborted ? undefined : (queue.tryEnter() ?? (await queue.enter(signal).catch(() => undefined)));
    if (place === undefined) return { kind: 'aborted', sent: false };
    try {
      if (isStarting(connection())) {
        wait.hadTo = true;
        if (!(await starts.over(signal))) return notStarted(signal);
      }
      if (wait.hadTo && deadline.atMs - clock.now() < worthSendingMs) return await expireUnsent(signal);
      const now = connection();
      if (now.status !== 'connected') return refusal() ?? notConnected(id, now);
      const own = dialogue && new PlacedDialogue(dialogue, admission, place);
      return { kind: 'answered', result: await now.session.request(request, signal, own) };
    } catch (error) {
      return toOutcome(error, signal);
    } finally {
      place.leave();
    }
  };

  return async (request, deadline, dialogue) => {
    const refused = refusal();
    if (refused !== undefined) return refused;
    const decision = breaker.admit();
    if (!decision.admitted) {
      return { kind: 'circuit_open', failures: decision.failures, remainingMs: decision.remainingMs };
    }
    const { admission } = decision;
    const release = demand.add(); // a refused call starts nothing
    try {
      const wait = { hadTo: queue.inFlight() >= maxInFlight };
      const outcome = await sendAdmitted(request, deadline, admission, wait, dialogue);
      report(outcome, admission, deadline.signal, wait.hadTo);
      return outcome;
    } finally {
      admission.release(); // does nothing when the outcome was reported
      release();
    }
  };
}
