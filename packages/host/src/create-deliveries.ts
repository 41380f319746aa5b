// Deliveries of the control plane: webhooks and notices of approvals, requests to a model, texts to an embedder.
import { type Config, writeExact } from '@portico/contracts';
import type { Log, PlaneDeps } from '@portico/control-plane';
import {
  createEmbedder,
  createMessageSampler,
  createNoticeSender,
  createWebhookSender,
  type NoticeCount,
  readBuiltInModel,
} from '@portico/delivery';

export interface Deliveries
  extends Pick<PlaneDeps, 'notifyApproval' | 'notifyDrift' | 'notices' | 'sampleMessages' | 'embedder' | 'loadModel'> {
  readonly noticeCounts: () => readonly NoticeCount[];
  close(): Promise<void>;
}

export interface DeliveriesPlace {
  /** The base of a model's relative path. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Sends everything. */
  readonly fetch: typeof fetch;
}

const graceMs = 1000;

export function createDeliveries({ search }: Config, { directory, env, log, fetch }: DeliveriesPlace): Deliveries {
  const webhooks = createWebhookSender({ env, log, fetch });
  const notices = createNoticeSender({ env, log, fetch });
  const { semantic } = search;
  const embeddings = semantic === 'off' ? null : search.embeddings;
  const embedder = embeddings === null ? undefined : createEmbedder(embeddings, { env, directory, fetch });
  return {
    notifyApproval(target, notice) {
      if ('format' in target) return notices.send(target, notice);
      const { event, approval } = notice;
      return webhooks.send(target, { event, approvalId: approval.id, body: writeExact(notice) });
    },
    notifyDrift(target, notice) {
      webhooks.send(target, { event: notice.event, approvalId: notice.drift.id, body: JSON.stringify(notice) });
    },
    notices,
    noticeCounts: notices.counts,
    sampleMessages: createMessageSampler({ env, fetch }),
    embedder,
    loadModel: semantic === 'off' ? undefined : () => readBuiltInModel(),
    async close() {
      await Promise.all([webhooks.close(graceMs), notices.close(graceMs), embedder?.close()]);
    },
  };
}
