// How long the URI of a resource may be. Its readings are compared with rules, which takes time by its length.

/** How long a URI is once every character beyond ASCII is percent-encoded (RFC 3987 section 3.1). */
export function uriLength(uri: string): number {
  let length = uri.length;
  for (let i = 0; i < uri.length; i += 1) {
    const unit = uri.charCodeAt(i);
    if (unit >= 0x80) length += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 5 : 8;
  }
  return length;
}

/**
 * Whether a URI has more characters than are accepted.
 * @param maxLength `limits.uriCharacters`
 */
export function isUriTooLong(uri: string, maxLength: number): boolean {
  return uri.length > maxLength || uriLength(uri) > maxLength;
}
