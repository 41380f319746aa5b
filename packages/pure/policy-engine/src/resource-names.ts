// The names under which policy looks at a resource URI, so that no other spelling of a URI escapes a rule.
// Only adds names to decide on: the request goes on with the URI as it was given.
import { decodeFully, decodeOnce, decodeUnreserved } from './percent-decoding.js';

interface UriParts {
  /** With its colon; empty for a text that is no absolute URI. */
  readonly scheme: string;
  /** Without the two slashes. */
  readonly authority: string | undefined;
  readonly path: string;
  /** Query and fragment, with their delimiters. */
  readonly rest: string;
}

const schemePattern = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * The URI as given, and other readings of it where they differ: its normal form
 * (RFC 3986 section 6.2.2), and that with every octet decoded, once and to the end, before and after dot segments are
 * removed, since servers do these in either order. The last is the same however a path is percent-encoded.
 * The caller decides on each on its own; the strictest decision holds.
 */
export function spellingsOf(uri: string): readonly string[] {
  const normal = normalize(uri, decodeUnreserved);
  const readings = [
    uri,
    normal,
    normalize(normal, decodeOnce),
    normalize(normal, decodeFully),
    normalize(uri, decodeOnce),
    normalize(uri, decodeFully),
  ];
  // A set keeps first places; the full reading is moved to the end.
  const last = readings[readings.length - 1] ?? uri;
  const others = readings.filter((reading) => reading === uri || reading !== last);
  return [...new Set([...others, last])];
}

/** Removes dot segments within the bounds the text had, then normalizes the parts of what came out. */
function normalize(uri: string, decode: (text: string) => string): string {
  const raw = splitUri(uri);
  const decoded = joinUri({
    scheme: raw.scheme,
    authority: raw.authority === undefined ? undefined : decode(raw.authority),
    path: removeDotSegments(decode(raw.path)),
    rest: decode(raw.rest),
  });
  const parts = splitUri(decoded);
  return joinUri(
    withFileAuthority({
      scheme: toAsciiLowerCase(parts.scheme),
      authority: parts.authority === undefined ? undefined : lowerCaseHost(parts.authority),
      path: removeDotSegments(parts.path),
      rest: parts.rest,
    }),
  );
}

function splitUri(uri: string): UriParts {
  const scheme = schemePattern.exec(uri)?.[0] ?? '';
  const hasAuthority = scheme !== '' && uri.startsWith('//', scheme.length);
  const start = hasAuthority ? scheme.length + 2 : scheme.length;
  const restAt = indexOrEnd(uri, uri.slice(start).search(/[?#]/), start);
  const beforeRest = uri.slice(start, restAt);
  const rest = uri.slice(restAt);
  if (!hasAuthority) return { scheme, authority: undefined, path: beforeRest, rest };
  const pathAt = indexOrEnd(beforeRest, beforeRest.indexOf('/'), 0);
  return { scheme, authority: beforeRest.slice(0, pathAt), path: beforeRest.slice(pathAt), rest };
}

function indexOrEnd(text: string, index: number, offset: number): number {
  return index === -1 ? text.length : index + offset;
}

/** A path that would read as something else where it stands gets a dot segment in front (RFC 3986 section 4.2). */
function joinUri({ scheme, authority, path, rest }: UriParts): string {
  if (authority !== undefined) return `${scheme}//${authority}${path}${rest}`;
  if (scheme !== '' && path.startsWith('//')) return `${scheme}/.${path}${rest}`;
  if (scheme === '' && schemePattern.test(path)) return `./${path}${rest}`;
  return `${scheme}${path}${rest}`;
}

/** RFC 3986 section 5.2.4, also for a path without a slash in front, which stays without one. */
function removeDotSegments(path: string): string {
  if (!path.includes('.')) return path;
  const rooted = path.startsWith('/');
  const segments = (rooted ? path.slice(1) : path).split('/');
  const kept: string[] = [];
  for (const [index, segment] of segments.entries()) {
    if (segment !== '.' && segment !== '..') {
      kept.push(segment);
      continue;
    }
    if (segment === '..') kept.pop();
    if (index === segments.length - 1) kept.push('');
  }
  return (rooted ? '/' : '') + kept.join('/');
}

/** `file:/a` and `file://localhost/a` are `file:///a` (RFC 8089 section 2 and appendix B). */
function withFileAuthority(parts: UriParts): UriParts {
  if (parts.scheme !== 'file:') return parts;
  const isLocal = parts.authority === undefined ? parts.path.startsWith('/') : parts.authority === 'localhost';
  return isLocal ? { ...parts, authority: '' } : parts;
}

function lowerCaseHost(authority: string): string {
  const hostAt = authority.lastIndexOf('@') + 1;
  return authority.slice(0, hostAt) + toAsciiLowerCase(authority.slice(hostAt));
}

function toAsciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
