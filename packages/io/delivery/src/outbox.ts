// Delivers requests in the background, a few at a time to each receiver, and logs how each of them ended. Nothing in here
// throws or makes a caller wait, and no receiver waits for another; of an address the log holds the origin.
import { setMaxListeners } from 'node:events';
import { bulkhead } from 'cockatiel';
import { createPauses } from './pauses.js';
import { refusedReason, type TryOutcome } from './post.js';
import { AddressError, type PostRequest } from './post-request.js';
import { createPostWithRetries, type Delivery, defaultDelaysMs, type PostWithRetries } from './post-with-retries.js';
import { stopped } from './time-limit.js';

export type DeliveryLog = (
  level: 'error' | 'warn' | 'info' | 'debug',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface OutboxOptions {
  readonly log: DeliveryLog;
  readonly fetch: typeof fetch;
  /** Pauses before the repeats, ms. */
  readonly delaysMs?: readonly number[] | undefined;
  /** Limit of one try, ms. */
  readonly timeoutMs?: number | undefined;
  /** The noun for one in the log: `webhook`. */
  readonly noun: string;
}

export interface Outgoing {
  readonly event: string;
  readonly approvalId: string;
  /** The receiver whose capacity it uses; never shown. */
  readonly receiver: string;
  /** Deliveries of one key go out one after the other. */
  readonly orderKey: string;
  /** Shown in the log beside the event: the origin of the address, and names. */
  readonly fields: Readonly<Record<string, string>>;
  /** Called at once. @throws AddressError */
  readonly request: () => PostRequest;
  /** Called with why it was given up; undefined if it was delivered. */
  readonly onEnded?: ((reason: string | undefined) => void) | undefined;
}

export interface Outbox {
  /** Returns at once. */
  send(outgoing: Outgoing): void;
  /** Waits `graceMs` at most for what is on its way, then gives up the rest; resolves when nothing is left. */
  close(graceMs: number): Promise<void>;
}

const maxConcurrent = 16;
const maxQueued = 1000;

/** Deliveries to one receiver that are on their way. */
interface Lane {
  readonly post: PostWithRetries;
  pending: number;
}

/** At most 5 tries for each; 16 at once to a receiver, and 1000 that wait for it; more of them are dropped. */
export function createOutbox({
  log,
  fetch,
  delaysMs = defaultDelaysMs,
  timeoutMs = 10_000,
  noun,
}: OutboxOptions): Outbox {
  const pauses = createPauses();
  const lanes = new Map<string, Lane>(); // of receivers that something is on its way to
  const laneOf = (receiver: string): Lane => {
    const known = lanes.get(receiver);
    if (known !== undefined) return known;
    const places = bulkhead(maxConcurrent, maxQueued); // bounds the pending deliveries
    // The signal of a delivery is for `post` only: a queued call that the bulkhead itself cancels does not hand its place
    // on, and those behind it would never settle.
    const inTurn = <T>(work: () => Promise<T>) => places.execute(work);
    const post = createPostWithRetries({ fetch, delaysMs, timeoutMs, inTurn, pause: pauses.wait });
    const lane = { post, pending: 0 };
    lanes.set(receiver, lane);
    return lane;
  };
  const pending = new Set<Promise<void>>();
  const lastOfKey = new Map<string, Promise<void>>();
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one and more for each delivery, all removed when it ends
  let closed = false;

  async function deliver(
    { post, pending: others }: Lane,
    build: Outgoing['request'],
    before: Promise<void> | undefined,
  ): Promise<Delivery> {
    if (closed) return unsent('the sender is closed');
    if (others >= maxConcurrent + maxQueued) return unsent(`${maxQueued} ${noun}s are waiting already`);
    try {
      const request = build();
      await before;
      return closing.signal.aborted ? { tries: 0, outcome: stopped } : await post(request, closing.signal);
    } catch (error) {
      return unsent(error instanceof AddressError ? error.message : 'the request could not be built');
    }
  }

  async function deliverAndLog(lane: Lane, outgoing: Outgoing, before: Promise<void> | undefined): Promise<void> {
    const { event, approvalId, fields, request, onEnded } = outgoing;
    const { tries, outcome } = await deliver(lane, request, before);
    const logFields = { event, approval_id: approvalId, ...fields, tries };
    const reason = outcome.kind === 'delivered' ? undefined : failureReason(outcome);
    onEnded?.(reason);
    if (outcome.kind === 'delivered') log('info', `a ${noun} was delivered`, { ...logFields, status: outcome.status });
    else log('error', `a ${noun} was given up`, { ...logFields, reason });
  }

  return {
    send(outgoing) {
      const { orderKey, receiver } = outgoing;
      const lane = laneOf(receiver);
      const delivery = deliverAndLog(lane, outgoing, lastOfKey.get(orderKey))
        .catch(() => {}) // the log itself failed: nothing is left that could report it
        .finally(() => {
          pending.delete(delivery);
          lane.pending -= 1;
          if (lane.pending === 0) lanes.delete(receiver);
          if (lastOfKey.get(orderKey) === delivery) lastOfKey.delete(orderKey);
        });
      pending.add(delivery);
      lane.pending += 1;
      lastOfKey.set(orderKey, delivery);
    },
    async close(graceMs) {
      closed = true;
      pauses.limit(graceMs);
      const timer = setTimeout(() => closing.abort(), graceMs);
      await Promise.all(pending);
      clearTimeout(timer);
    },
  };
}

function unsent(reason: string): Delivery {
  return { tries: 0, outcome: { kind: 'unanswered', reason, isFinal: true } };
}

/** How a delivery that failed reads in a log. */
export function failureReason(outcome: Exclude<TryOutcome, { readonly kind: 'delivered' }>): string {
  return outcome.kind === 'unanswered' ? outcome.reason : refusedReason(outcome.status);
}
