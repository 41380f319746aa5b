// Checks the parameters of a login's redirect in the one safe order: first the issuer, then the result.
import type { AuthorizationServer } from './discovery.js';
import { isErrorCode, OAuthFailure } from './oauth-failure.js';
import type { OAuthSdk } from './sdk.js';

export function issOf(params: URLSearchParams): { readonly iss?: string } {
  const iss = params.get('iss');
  return iss === null ? {} : { iss };
}

/** The code, once it is sure who answers: errors of another server are not even looked at (RFC 9207, section 2.4). */
export function codeOf(sdk: OAuthSdk, { metadata }: AuthorizationServer, params: URLSearchParams): string {
  sdk.validateAuthorizationResponseIssuer({
    iss: issOf(params).iss,
    expectedIssuer: metadata.issuer,
    issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
  });
  const code = params.get('code');
  const error = params.get('error');
  if (error !== null) throw new RefusedByServer(isErrorCode(error) ? error : 'an error');
  if (code === null || code === '') throw new OAuthFailure('the authorization server sent neither a code nor an error');
  return code;
}

/** The authorization server, or the person in front of it, said no (RFC 6749, section 4.1.2.1). */
export class RefusedByServer extends OAuthFailure {
  readonly code: string;

  constructor(code: string) {
    super(`the authorization server answered with ${code}`);
    this.code = code;
  }
}
