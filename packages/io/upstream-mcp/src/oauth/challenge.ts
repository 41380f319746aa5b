// Parses the authorization that a server asks for: the WWW-Authenticate header of a 401 or 403 (RFC 6750, section 3;
// RFC 9728, section 5.1; MCP 2026-07-28, authorization).
import type { HttpResponse } from '../http-client.js';
import type { OAuthSdk } from './sdk.js';

export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

const headerOf = (response: HttpResponse): string => response.header('www-authenticate') ?? '';

/** The token is good, but not for this (RFC 6750, section 3.1). */
export const lacksScope = (response: HttpResponse): boolean =>
  response.status === 403 && /\berror="?insufficient_scope\b/.test(headerOf(response));

export function readChallenge(sdk: OAuthSdk, response: HttpResponse): Challenge {
  const header = headerOf(response).slice(0, 8_192);
  const asked = new Response(null, { headers: { 'www-authenticate': header } });
  const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(asked);
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
}
