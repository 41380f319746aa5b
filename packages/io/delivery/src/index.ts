// Tells others what happens here: webhooks of approvals, SIEM targets of every audit record. Decides nothing about
// who is told of what.
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
