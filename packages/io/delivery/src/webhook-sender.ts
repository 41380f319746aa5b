// Sends the generic webhook of approvals. The log contains the origin of its URL, and names of its configuration.
import type { Webhook } from '@portico/contracts';
import { createEgress } from '@portico/egress';
import { createOutbox, type OutboxOptions } from './outbox.js';
import { loggableOrigin } from './post-request.js';
import { toWebhookRequest } from './webhook-request.js';

export type { DeliveryLog } from './outbox.js';

export interface Notification {
  readonly event: string;
  readonly approvalId: string;
  /** JSON text, sent as it is. */
  readonly body: string;
}

export interface WebhookSenderOptions extends Omit<OutboxOptions, 'fetch' | 'noun'> {
  /** Where `secretEnv` of a webhook is looked up, at each notification. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By default one with a guard of its own. */
  readonly fetch?: typeof fetch;
}

export interface WebhookSender {
  /**
   * Returns at once. The notifications of one ticket to one address go out one after the other; all others side by side,
   * so that they may arrive in another order.
   */
  send(webhook: Webhook, notification: Notification): void;
  /** Waits `graceMs` at most for what is on its way, then gives up the rest; resolves when nothing is left. */
  close(graceMs: number): Promise<void>;
}

/** Creates the sender of signed webhooks (HMAC-SHA256), with retries. */
export function createWebhookSender({
  env,
  fetch = createEgress().fetch,
  ...options
}: WebhookSenderOptions): WebhookSender {
  const outbox = createOutbox({ ...options, fetch, noun: 'webhook' });
  return {
    send(webhook, { event, approvalId, body }) {
      const fields = { origin: loggableOrigin(webhook.url) };
      const request = () => toWebhookRequest(webhook, env, body);
      const receiver = webhook.url;
      outbox.send({ event, approvalId, receiver, orderKey: `${receiver} ${approvalId}`, fields, request });
    },
    close: outbox.close,
  };
}
