// Explains in Portico's words why a login is impossible or was not finished. Only codes of an authorization server's
// text are repeated: error bodies may echo tokens, and descriptions may be written by the author of the link.
import { EgressRefused } from '@portico/egress';
import { HttpFailure } from '../failures.js';
import { FetchFailed } from './guarded-fetch.js';
import type { OAuthSdk } from './sdk.js';

/** A reason whose message is ours and fit to be shown. */
export class OAuthFailure extends Error {}

/** The `error` codes after which the registration or the tokens cannot be used any more (RFC 6749, section 5.2). */
export function oauthErrorCode(sdk: OAuthSdk, error: unknown): string | undefined {
  if (!(error instanceof sdk.OAuthError)) return undefined;
  return isErrorCode(error.code) ? error.code : undefined;
}

/** An error code is a short word; anything else is not shown. */
export const isErrorCode = (text: string): boolean => /^[A-Za-z0-9_.-]{1,64}$/.test(text);

export function describeOAuthError(sdk: OAuthSdk, error: unknown): string {
  const ours = [OAuthFailure, FetchFailed, HttpFailure, EgressRefused];
  if (error instanceof Error && ours.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof sdk.IssuerMismatchError) {
    return error.kind === 'metadata'
      ? 'the metadata of the authorization server names another issuer'
      : 'the answer does not come from the authorization server that was asked (issuer parameter, RFC 9207)';
  }
  if (error instanceof sdk.InsecureTokenEndpointError)
    return 'the token endpoint of the authorization server is no https';
  if (error instanceof sdk.RegistrationRejectedError) {
    return `the authorization server refused to register a client (status ${error.status}); configure auth with a clientId`;
  }
  const code = oauthErrorCode(sdk, error);
  if (code !== undefined) return `the authorization server answered with ${code}`;
  return 'the authorization server gave an answer that is not OAuth';
}
