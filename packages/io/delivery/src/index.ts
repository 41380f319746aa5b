// Tells others what happens here: webhooks of approvals, SIEM targets of every audit record. Asks a provider for what
// servers want of a model. Decides nothing about who is told of what.
export { createMessageSampler, type MessageSamplerOptions, SamplingProviderError } from './sampling/message-sampler.js';
export { createMemoryCursors, type SiemCursors } from './siem/siem-cursors.js';
export type { SiemLag } from './siem/siem-stream.js';
export { createSiemStreams, type SiemStreams, type SiemStreamsOptions } from './siem/siem-streams.js';
export {
  createWebhookSender,
  type DeliveryLog,
  type Notification,
  type WebhookSender,
  type WebhookSenderOptions,
} from './webhook-sender.js';
