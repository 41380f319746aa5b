// The request that a webhook asks for. Sends nothing, and tells of nothing secret in what goes wrong.
import { isHeaderName, type Webhook } from '@portico/contracts';
import { signatureHeaderNames, signatureHeaders } from './sign.js';

export interface WebhookRequest {
  /** Without user name and password, which fetch refuses. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The webhook cannot be sent as it is configured. The message may be logged: of the configuration it holds names only. */
export class WebhookConfigError extends Error {}

/** They frame the message or belong to the connection, which fetch manages; with one of these it fails or hangs. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Headers of the webhook come first, so that what this module sets replaces them. Credentials in the URL become
 * `Authorization: Basic` (RFC 7617) where nothing else sets that header.
 * @throws WebhookConfigError
 */
export function toWebhookRequest(
  webhook: Webhook,
  env: Readonly<Record<string, string | undefined>>,
  bodyText: string,
): WebhookRequest {
  const body = new TextEncoder().encode(bodyText);
  const url = parseUrl(webhook.url);
  const headers = new Headers();
  for (const [name, value] of Object.entries(webhook.headers)) {
    if (!connectionHeaders.has(name.toLowerCase())) setHeader(headers, name, value);
  }
  const basic = basicCredentials(url);
  if (basic !== null && !headers.has('authorization')) headers.set('authorization', basic);
  if (webhook.authHeader !== null) setHeader(headers, 'Authorization', webhook.authHeader);
  headers.set('content-type', 'application/json');
  for (const name of signatureHeaderNames) headers.delete(name);
  const secret = secretOf(webhook, env);
  if (secret !== null) {
    for (const [name, value] of Object.entries(signatureHeaders(secret, body))) headers.set(name, value);
  }
  return { url: withoutCredentials(url), headers, body };
}

/** Origin of a URL: what of it may be logged, since the path of a webhook is often its secret. */
export function loggableOrigin(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : 'not a URL';
}

function secretOf({ secret, secretEnv }: Webhook, env: Readonly<Record<string, string | undefined>>): string | null {
  if (secretEnv === null) return secret;
  const value = env[secretEnv];
  if (value) return value;
  throw new WebhookConfigError(`environment variable ${secretEnv}, which holds the secret, is unset or empty`);
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new WebhookConfigError('the url of the webhook is not a valid URL');
  return new URL(text);
}

/** Checks the name first: `Authorization: Bearer …` written as a name must not show in the log. */
function setHeader(headers: Headers, name: string, value: string): void {
  if (!isHeaderName(name)) throw new WebhookConfigError('a header of the webhook has a name that HTTP does not allow');
  try {
    headers.set(name, value);
  } catch {
    // The message of what is caught holds the value.
    throw new WebhookConfigError(`header ${name} of the webhook has a value that HTTP does not allow`);
  }
}

function basicCredentials({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const credentials = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`;
}

/** As it stands where it holds a `%` that encodes nothing, which a URL may. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withoutCredentials(url: URL): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
}
