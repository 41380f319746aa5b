// The way of a request to one server: through its circuit, its queue and its session, which the server may have to
// open first.
import type { AbortSignalLike } from '@portico/async';
import type { AdmissionQueue, Place } from './admission-queue.js';
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
    dialogue: Dialogue | undefined,
  ): Promise<SendOutcome> => {
    const { signal } = deadline;
    const release = demand.add(); // a refused call starts nothing
    let hadToWait = queue.inFlight() >= maxInFlight;
    let place: Place | undefined;
    try {
      place = signal.aborted ? undefined : (queue.tryEnter() ?? (await queue.enter(signal).catch(() => undefined)));
      if (place === undefined) return report({ kind: 'aborted', sent: false }, admission, signal, hadToWait);
      if (isStarting(connection())) {
        hadToWait = true;
        if (!(await starts.over(signal))) return report(notStarted(signal), admission, signal, hadToWait);
      }
      if (hadToWait && deadline.atMs - clock.now() < worthSendingMs)
        return report(await expireUnsent(signal), admission, signal, hadToWait);
      const now = connection();
      if (now.status !== 'connected') return report(refusal() ?? notConnected(id, now), admission, signal, hadToWait);
      const own = dialogue && new PlacedDialogue(dialogue, admission, place);
      const result = await now.session.request(request, signal, own);
      return report({ kind: 'answered', result }, admission, signal, hadToWait);
    } catch (error) {
      return report(toOutcome(error, signal), admission, signal, hadToWait);
    } finally {
      place?.leave();
      admission.release(); // does nothing when the outcome was reported
      release();
    }
  };

  return (request, deadline, dialogue) => {
    const refused = refusal();
    if (refused !== undefined) return Promise.resolve(refused);
    const decision = breaker.admit();
    if (decision.admitted) return sendAdmitted(request, deadline, decision.admission, dialogue);
    const { failures, remainingMs } = decision;
    return Promise.resolve({ kind: 'circuit_open', failures, remainingMs });
  };
}
