// Checks access to a listener: the Host and Origin a browser cannot forge, and the token. Data in, data out.
import { sha256Hex } from '@portico/canonical-json';

/** `127.0.0.0/8`, `[::1]` and `localhost`, exactly. */
export function isLoopback(hostname: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(hostname) || ['localhost', '[::1]', '::1'].includes(hostname.toLowerCase());
}

/** How many Host headers that have passed a check are remembered. Clients name the service in few ways, and others must not fill the memory. */
export const maxKnownHosts = 100;

/** Whether a Host header names this service. A web page that rebinds its own name to our address does not pass. */
export function isOwnHost(host: string | undefined, bind: string): boolean {
  const hostname = splitHost(host)?.hostname;
  if (hostname === undefined) return false;
  if (isLoopback(hostname)) return true;
  // Bound to every address, any of them is ours; names stay out, since only names can be rebound.
  if (bind === '0.0.0.0' || bind === '::') return isIpLiteral(hostname);
  return hostname === bind.toLowerCase() || hostname === `[${bind.toLowerCase()}]`;
}

/** Whether an Origin header is absent or the service's own: http, and the Host's name and port, or both loopback. */
export function isOwnOrigin(origin: string | undefined, host: string | undefined, bind: string): boolean {
  if (origin === undefined) return true;
  const [, authority] = /^http:\/\/([^/]+)$/.exec(origin) ?? [];
  if (authority === undefined) return false;
  const own = splitHost(host);
  const given = splitHost(authority);
  if (own === undefined || given === undefined || own.port !== given.port || !isOwnHost(authority, bind)) return false;
  return own.hostname === given.hostname || (isLoopback(own.hostname) && isLoopback(given.hostname));
}

/** The token of an Authorization header (RFC 6750, section 2.1); undefined if it has none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/** Whether an Authorization header carries the token; takes the same time for every wrong one. */
export function hasToken(authorization: string | undefined, token: string): boolean {
  const given = bearerToken(authorization);
  return isSameDigest(sha256Hex(given ?? ''), sha256Hex(token)) && given !== undefined;
}

/** Looks at every character, wherever the first difference is. */
export function isSameDigest(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < b.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}

/** The name, lower case, and the port (80 by default) of a Host header; undefined for an invalid header. */
export function splitHost(host: string | undefined): { readonly hostname: string; readonly port: string } | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(host ?? '');
  const [, hostname, port] = match ?? [];
  return hostname === undefined ? undefined : { hostname: hostname.toLowerCase(), port: port ?? '80' };
}

function isIpLiteral(hostname: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname) || hostname.startsWith('[');
}
