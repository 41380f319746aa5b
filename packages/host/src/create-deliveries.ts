// What the control plane has sent elsewhere: notices of approvals, questions to a model, texts to an embedder.
import { type Config, writeExact } from '@portico/contracts';
import type { Log, PlaneDeps } from '@portico/control-plane';
import { createEmbedder, createMessageSampler, createWebhookSender } from '@portico/delivery';

export interface Deliveries extends Pick<PlaneDeps, 'notifyApproval' | 'sampleMessages' | 'embedder'> {
  close(): Promise<void>;
}

export interface DeliveriesPlace {
  /** What a relative path of a model starts from. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Sends everything. */
  readonly fetch: typeof fetch;
}

const webhookGraceMs = 1000;

export function createDeliveries({ search }: Config, { directory, env, log, fetch }: DeliveriesPlace): Deliveries {
  const webhooks = createWebhookSender({ env, log, fetch });
  const { embeddings } = search;
  const embedder = embeddings === null ? undefined : createEmbedder(embeddings, { env, directory, fetch });
  return {
    notifyApproval: (webhook, notice) =>
      webhooks.send(webhook, {
        event: notice.event,
        approvalId: notice.approval.id,
        body: writeExact(notice),
      }),
    sampleMessages: createMessageSampler({ env, fetch }),
    embedder,
    async close() {
      await Promise.all([webhooks.close(webhookGraceMs), embedder?.close()]);
    },
  };
}
