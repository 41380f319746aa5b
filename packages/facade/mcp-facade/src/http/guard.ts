// Checks access to the listener: the Host, the Origin and the token of a request. A refused request has no effect.
import { type Connection, challengeOf, type Identity } from '@portico/control-plane';
import { isLoopback, isOwnHost, splitHost } from '@portico/policy-engine';
import type { HeaderSource } from '../calls/request-context.js';
import type { McpHttpOptions } from './options.js';

export interface AccessRefusal {
  readonly status: 401 | 403;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Admission =
  | { readonly kind: 'admitted'; readonly identity: Identity }
  | { readonly kind: 'refused'; readonly refusal: AccessRefusal };

/** @param metadataUrl where the listener describes itself; null for nowhere */
export async function admit(
  { authenticate }: McpHttpOptions,
  headers: Headers,
  metadataUrl: string | null,
  connection: Connection | undefined,
): Promise<Admission> {
  const authentication = await authenticate(headers.get('authorization') ?? undefined, connection);
  if (authentication.kind === 'known') return { kind: 'admitted', identity: authentication.identity };
  const { status, message } = authentication;
  const challenge = status === 401 ? { 'WWW-Authenticate': challengeOf(authentication, metadataUrl) } : {};
  return { kind: 'refused', refusal: { status, message, headers: challenge } };
}

/** Refuses by Host and Origin, before the token is looked at. */
export function refusePlace(options: McpHttpOptions, headers: HeaderSource): AccessRefusal | undefined {
  if (!isAcceptedHost(headers.get('host'), options)) {
    return { status: 403, message: 'the Host header does not name this service; allowedHosts adds names' };
  }
  if (!isAcceptedOrigin(headers.get('origin'), options)) {
    return { status: 403, message: 'requests from other origins are not accepted; allowedOrigins adds origins' };
  }
  return undefined;
}

/** An allowed host is a name, for any port, or a name with its port. */
function isAcceptedHost(host: string | null, { bind, allowedHosts }: McpHttpOptions): boolean {
  if (host === null) return false;
  if (isOwnHost(host, bind)) return true;
  const given = splitHost(host);
  if (given === undefined) return false;
  return allowedHosts.some((allowed) => [given.hostname, host.toLowerCase()].includes(allowed.toLowerCase()));
}

/** Only browsers send it: a page of this machine is accepted, and one that is listed. `null` is a page of no origin. */
function isAcceptedOrigin(origin: string | null, { allowedOrigins }: McpHttpOptions): boolean {
  if (origin === null) return true;
  if (allowedOrigins.some((allowed) => allowed.toLowerCase() === origin.toLowerCase())) return true;
  const [, authority] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  const hostname = splitHost(authority)?.hostname;
  return hostname !== undefined && isLoopback(hostname);
}
