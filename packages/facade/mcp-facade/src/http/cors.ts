// Lets the pages of listed origins read what they are answered (WHATWG Fetch, CORS protocol). Pages of loopback, which
// pass the check of the Origin, are not listed: a page that happens to be served on this machine reads nothing.
import type { McpHttpOptions } from './options.js';

const methods = 'GET, POST, DELETE';

/** The origin that may read; undefined if none asks, or none may. */
export function readingOrigin({ allowedOrigins }: McpHttpOptions, headers: Headers): string | undefined {
  const origin = headers.get('origin');
  if (origin === null) return undefined;
  const isListed = allowedOrigins.some((allowed) => allowed.toLowerCase() === origin.toLowerCase());
  return isListed ? origin : undefined;
}

/** The answer to what a browser asks before it sends the request itself, which it does without the token. */
export function preflight(headers: Headers): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': headers.get('access-control-request-headers') ?? '',
      'Access-Control-Max-Age': '600',
    },
  });
}

export function allowReading(response: Response, origin: string): Response {
  response.headers.set('Access-Control-Allow-Origin', origin);
  response.headers.set('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
  response.headers.append('Vary', 'Origin');
  return response;
}
