// A POST to a configured address with configured headers. Sends nothing; its errors contain no secret.
import { isHeaderName } from '@portico/contracts';

export interface PostRequest {
  /** Without user name and password, which fetch refuses. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Where JSON is posted to, as it is configured. */
export interface Address {
  readonly url: string;
  /** Sent as `Authorization`. */
  readonly authorization: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The noun for it in messages: `webhook`. */
  readonly noun: string;
}

/** Nothing can be sent there as it is configured. The message may be logged: of the configuration it holds names only. */
export class AddressError extends Error {}

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
 * Configured headers come first, so that what this module sets replaces them. Credentials in the URL become
 * `Authorization: Basic` (RFC 7617) where nothing else sets that header.
 * @throws AddressError
 */
export function toPostRequest(address: Address, body: Uint8Array<ArrayBuffer>): PostRequest {
  const url = parseUrl(address);
  const headers = new Headers();
  for (const [name, value] of Object.entries(address.headers)) {
    if (!connectionHeaders.has(name.toLowerCase())) setHeader(headers, name, value, address.noun);
  }
  const basic = basicCredentials(url);
  if (basic !== null && !headers.has('authorization')) headers.set('authorization', basic);
  if (address.authorization !== null) setHeader(headers, 'Authorization', address.authorization, address.noun);
  headers.set('content-type', 'application/json');
  return { url: withoutCredentials(url), headers, body };
}

/** Origin of a URL: what of it may be logged, since the path of a webhook is often its secret. */
export function loggableOrigin(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : 'not a URL';
}

function parseUrl({ url, noun }: Address): URL {
  if (!URL.canParse(url)) throw new AddressError(`the url of the ${noun} is not a valid URL`);
  return new URL(url);
}

/** Checks the name first: `Authorization: Bearer …` written as a name must not show in the log. */
function setHeader(headers: Headers, name: string, value: string, noun: string): void {
  if (!isHeaderName(name)) throw new AddressError(`a header of the ${noun} has a name that HTTP does not allow`);
  try {
    headers.set(name, value);
  } catch {
    // The message of what is caught holds the value.
    throw new AddressError(`header ${name} of the ${noun} has a value that HTTP does not allow`);
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
