// Cache validators: how an ETag is written, and whether the client's If-None-Match names it.

export function quoteEtag(etag: string): string {
  return `"${etag}"`;
}

/** Weak comparison (RFC 9110, 13.1.2) over a list; `*` matches, and so do tags that a client sent without quotes. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((item) => {
    const tag = item.trim().replace(/^W\//, '');
    return tag === '*' || tag === etag || tag === quoteEtag(etag);
  });
}
