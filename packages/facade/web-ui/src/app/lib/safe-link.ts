// Links from untrusted sources: only an address that a browser opens over HTTP counts as a link.

/** The address as the browser would go there; undefined if it is no http or https address, or hides credentials. */
export function toSafeLink(text: string): URL | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const isPlain = url.username === '' && url.password === '';
  return (url.protocol === 'https:' || url.protocol === 'http:') && isPlain ? url : undefined;
}
