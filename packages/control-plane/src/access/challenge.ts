// The WWW-Authenticate header of a refused request (RFC 6750, section 3; RFC 9728, section 5.1).
import type { Authentication } from './authenticator.js';

/**
 * The `WWW-Authenticate` header of a 401 or 403 (RFC 6750, RFC 9728).
 * @param resourceMetadata where the resource is described; null for nowhere
 */
export function challengeOf(
  { message, hasToken }: Extract<Authentication, { readonly kind: 'refused' }>,
  resourceMetadata: string | null = null,
): string {
  const parameters = [
    'realm="portico"',
    ...(hasToken ? ['error="invalid_token"', `error_description=${quoted(message)}`] : []),
    ...(resourceMetadata === null ? [] : [`resource_metadata=${quoted(resourceMetadata)}`]),
  ];
  return `Bearer ${parameters.join(', ')}`;
}

/** Descriptions hold nothing but these characters (RFC 6750, section 3). */
function quoted(text: string): string {
  return `"${text.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')}"`;
}
