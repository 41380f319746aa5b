// Tells a webhook of approvals, signed and with retries. Decides nothing about who is told of what.
export {
  createWebhookSender,
  type DeliveryLog,
  type Notification,
  type WebhookSender,
  type WebhookSenderOptions,
} from './webhook-sender.js';
