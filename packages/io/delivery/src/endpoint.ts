// Where an OpenAI-compatible API takes a kind of request, and the key that it asks for. Sends nothing.
import { AddressError } from './post-request.js';

/** The path goes before a query, which some endpoints need. @param path such as `/embeddings` */
export function endpointOf(base: string, path: string): string {
  if (!URL.canParse(base)) return base;
  const url = new URL(base);
  const place = url.pathname.replace(/\/+$/, '');
  url.pathname = place.endsWith(path) ? place : `${place}${path}`;
  return url.href;
}

/** @throws AddressError when the variable is named and empty */
export function bearerOf(apiKeyEnv: string | null, env: Readonly<Record<string, string | undefined>>): string | null {
  if (apiKeyEnv === null) return null;
  const key = env[apiKeyEnv];
  if (key) return `Bearer ${key}`;
  throw new AddressError(`environment variable ${apiKeyEnv}, which holds the key, is unset or empty`);
}
