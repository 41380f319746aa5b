// Sends events to other systems: webhooks of approvals, SIEM targets of every audit record. Asks a provider to answer
// sampling requests of servers, and to compute vectors of texts. Does not decide which receiver gets which event.
export { readBuiltInModel } from './embeddings/built-in-model.js';
export { createEmbedder, type EmbedderOptions } from './embeddings/create-embedder.js';
export { EmbedderError } from './embeddings/openai-embedder.js';
export type { ClosableEmbedder } from './embeddings/transformers-embedder.js';
export {
  createNoticeSender,
  type NoticeCount,
  type NoticeSender,
  type NoticeSenderOptions,
} from './notices/notice-sender.js';
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
