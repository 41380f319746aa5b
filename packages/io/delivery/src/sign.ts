// How a receiver knows that a webhook comes from this control plane. Keeps no secret and compares nothing.
import { createHmac } from 'node:crypto';

/** Names of the headers that carry a signature, in lower case. */
export const signatureHeaderNames = ['x-signature-sha256', 'x-service-signature-256'] as const;

/** HMAC-SHA256 (RFC 2104) over the bytes of a body, in hex: once bare, once as `sha256=<hex>`. */
export function signatureHeaders(
  secret: string,
  body: Uint8Array,
): Readonly<Record<(typeof signatureHeaderNames)[number], string>> {
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  return { 'x-signature-sha256': hex, 'x-service-signature-256': `sha256=${hex}` };
}
