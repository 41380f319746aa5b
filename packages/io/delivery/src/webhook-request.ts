// The signed request of a webhook. Sends nothing; its errors contain no secret.
import type { Webhook } from '@portico/contracts';
import { AddressError, type PostRequest, toPostRequest } from './post-request.js';
import { signatureHeaderNames, signatureHeaders } from './sign.js';

/**
 * Configured headers as in `toPostRequest`; none of them is taken for a signature.
 * @throws AddressError
 */
export function toWebhookRequest(
  webhook: Webhook,
  env: Readonly<Record<string, string | undefined>>,
  bodyText: string,
): PostRequest {
  const body = new TextEncoder().encode(bodyText);
  const { url, authHeader: authorization, headers } = webhook;
  const request = toPostRequest({ url, authorization, headers, noun: 'webhook' }, body);
  for (const name of signatureHeaderNames) request.headers.delete(name);
  const secret = secretOf(webhook, env);
  if (secret !== null) {
    for (const [name, value] of Object.entries(signatureHeaders(secret, body))) request.headers.set(name, value);
  }
  return request;
}

function secretOf({ secret, secretEnv }: Webhook, env: Readonly<Record<string, string | undefined>>): string | null {
  if (secretEnv === null) return secret;
  const value = env[secretEnv];
  if (value) return value;
  throw new AddressError(`environment variable ${secretEnv}, which holds the secret, is unset or empty`);
}
