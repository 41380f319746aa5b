// Adds security headers for browsers to every answer that does not set them itself.
import { securityHeaders } from '@portico/contracts';

const all = Object.entries(securityHeaders);

export function secure(response: Response): Response {
  for (const [name, value] of all) if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}

/** The headers of an answer that is JSON and nothing else. */
export const jsonHeaders: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'application/json',
  ...securityHeaders,
});
