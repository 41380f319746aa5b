// Delivers notifications in the background, a few at a time, and logs how each of them ended. Nothing in here
// throws or makes a caller wait; of a webhook's configuration the log holds the origin of its URL, and names.
import { setMaxListeners } from 'node:events';
import type { Webhook } from '@portico/contracts';
import { createEgress } from '@portico/egress';
import { bulkhead } from 'cockatiel';
import { createPauses } from './pauses.js';
import { refusedReason, type TryOutcome } from './post.js';
import { AddressError, loggableOrigin } from './post-request.js';
import { createPostWithRetries, type Delivery, defaultDelaysMs } from './post-with-retries.js';
import { stopped } from './time-limit.js';
import { toWebhookRequest } from './webhook-request.js';

export type DeliveryLog = (
  level: 'error' | 'warn' | 'info' | 'debug',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface Notification {
  readonly event: string;
  readonly approvalId: string;
  /** JSON text, sent as it is. */
  readonly body: string;
}

export interface WebhookSenderOptions {
  /** Where `secretEnv` of a webhook is looked up, at each notification. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: DeliveryLog;
  /** By default one with a guard of its own. */
  readonly fetch?: typeof fetch;
  /** Pauses before the repeats, ms. */
  readonly delaysMs?: readonly number[];
  /** Limit of one try, ms. */
  readonly timeoutMs?: number;
}

export interface WebhookSender {
  /**
   * Returns at once. The notifications of one ticket go out one after the other; those of several side by side, so that
   * they may arrive in another order.
   */
  send(webhook: Webhook, notification: Notification): void;
  /** Waits `graceMs` at most for what is on its way, then gives up the rest; resolves when nothing is left. */
  close(graceMs: number): Promise<void>;
}

const maxConcurrent = 16;
const maxQueued = 1000;

/** At most 5 tries for each notification, 16 at once, and 1000 notifications that wait; more of them are dropped. */
export function createWebhookSender({
  env,
  log,
  fetch = createEgress().fetch,
  delaysMs = defaultDelaysMs,
  timeoutMs = 10_000,
}: WebhookSenderOptions): WebhookSender {
  const places = bulkhead(maxConcurrent, maxQueued); // no more than so many are pending
  const pauses = createPauses();
  // The signal of a delivery is for `post` only: a queued call that the bulkhead itself cancels does not hand its place
  // on, and those behind it would never settle.
  const post = createPostWithRetries({
    fetch,
    delaysMs,
    timeoutMs,
    inTurn: (work) => places.execute(work),
    pause: pauses.wait,
  });
  const pending = new Set<Promise<void>>();
  const lastOfTicket = new Map<string, Promise<void>>();
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one and more for each delivery, all removed when it ends
  let closed = false;

  async function deliver(webhook: Webhook, body: string, before: Promise<void> | undefined): Promise<Delivery> {
    if (closed) return unsent('the sender is closed');
    if (pending.size >= maxConcurrent + maxQueued) return unsent(`${maxQueued} webhooks are waiting already`);
    try {
      const request = toWebhookRequest(webhook, env, body);
      await before;
      return closing.signal.aborted ? { tries: 0, outcome: stopped } : await post(request, closing.signal);
    } catch (error) {
      return unsent(error instanceof AddressError ? error.message : 'the request could not be built');
    }
  }

  async function deliverAndLog(webhook: Webhook, { event, approvalId, body }: Notification): Promise<void> {
    const { tries, outcome } = await deliver(webhook, body, lastOfTicket.get(approvalId));
    const fields = { event, approval_id: approvalId, origin: loggableOrigin(webhook.url), tries };
    if (outcome.kind === 'delivered') log('info', 'a webhook was delivered', { ...fields, status: outcome.status });
    else log('error', 'a webhook was given up', { ...fields, reason: failureReason(outcome) });
  }

  return {
    send(webhook, notification) {
      const { approvalId } = notification;
      const delivery = deliverAndLog(webhook, notification)
        .catch(() => {}) // the log itself failed: there is nowhere left to tell
        .finally(() => {
          pending.delete(delivery);
          if (lastOfTicket.get(approvalId) === delivery) lastOfTicket.delete(approvalId);
        });
      pending.add(delivery);
      lastOfTicket.set(approvalId, delivery);
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

function failureReason(outcome: Exclude<TryOutcome, { readonly kind: 'delivered' }>): string {
  return outcome.kind === 'unanswered' ? outcome.reason : refusedReason(outcome.status);
}
