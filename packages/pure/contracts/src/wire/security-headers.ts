// What every answer says to a browser, whichever face it comes from. Nothing here is meant to be shown inside a page of
// somebody else, guessed at, or kept in a cache that was not told to.

/** Set where an answer does not say otherwise. */
export const securityHeaders: Readonly<Record<string, string>> = Object.freeze({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
});
