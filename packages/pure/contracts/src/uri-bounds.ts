// How long the URI of a resource may be. Its readings are compared with rules, which takes time by its length.

/**
 * Characters of a resource's URI or template, percent-encoded: all its readings are compared with rules, which takes up to
 * 2 µs for each of them.
 */
export const maxUriLength = 4096;

/** How long a URI is once every character beyond ASCII is percent-encoded (RFC 3987 section 3.1). */
export function uriLength(uri: string): number {
  let length = uri.length;
  for (let i = 0; i < uri.length; i += 1) {
    const unit = uri.charCodeAt(i);
    if (unit >= 0x80) length += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 5 : 8;
  }
  return length;
}

export function isUriTooLong(uri: string): boolean {
  return uri.length > maxUriLength || uriLength(uri) > maxUriLength;
}
