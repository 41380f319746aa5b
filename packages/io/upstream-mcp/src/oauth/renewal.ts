// Trades a refresh token for new tokens (RFC 6749, section 6; OAuth 2.1, section 4.3). Where the authorization server
// rotates refresh tokens the old one is worthless afterwards, so the new one is stored before its first use. One of the
// processes that share a login renews it, and the others read the stored result.
import type { Credentials } from './credentials.js';
import type { AuthorizationServer } from './discovery.js';
import type { Fetch } from './guarded-fetch.js';
import { isOver } from './held-tokens.js';
import { describeOAuthError, OAuthFailure, oauthErrorCode } from './oauth-failure.js';
import type { OAuthSdk } from './sdk.js';
import type { OAuthTokens } from './store.js';

/** Codes that speak of the authorization server's health, not of what it was given. */
const passingCodes = ['server_error', 'temporarily_unavailable', 'slow_down'];
/** Codes after which it is the client that is not known any more (RFC 6749, section 5.2). */
const clientCodes = ['invalid_client', 'unauthorized_client'];

export const isAboutClient = (code: string | undefined): boolean => code !== undefined && clientCodes.includes(code);

/**
 * Undefined when nothing is left to renew with: a person has to log in again.
 * @throws OAuthFailure when the authorization server could not be asked this time
 */
export async function renewTokens(
  sdk: OAuthSdk,
  fetch: Fetch,
  server: AuthorizationServer,
  credentials: Credentials,
  tokens: OAuthTokens,
): Promise<OAuthTokens | undefined> {
  return await credentials.exclusively(async () => {
    const kept = await credentials.tokens();
    const isRenewed = kept !== undefined && kept.accessToken !== tokens.accessToken && !isOver(kept, Date.now());
    return isRenewed ? kept : await redeem(sdk, fetch, server, credentials, kept ?? tokens);
  });
}

async function redeem(
  sdk: OAuthSdk,
  fetch: Fetch,
  server: AuthorizationServer,
  credentials: Credentials,
  { refreshToken, scope }: OAuthTokens,
): Promise<OAuthTokens | undefined> {
  const identity = await credentials.identity();
  if (refreshToken === undefined || identity === undefined) return undefined;
  try {
    const answer = await sdk.refreshAuthorization(server.url, {
      metadata: server.metadata,
      clientInformation: identity.information,
      refreshToken,
      resource: server.resource,
      fetchFn: fetch,
    });
    return await credentials.keep(answer, scope);
  } catch (error) {
    const code = oauthErrorCode(sdk, error);
    if (code === undefined || passingCodes.includes(code)) {
      throw new OAuthFailure(`the login could not be renewed: ${describeOAuthError(sdk, error)}`);
    }
    await (isAboutClient(code) ? credentials.forgetRegistration() : credentials.forgetTokens());
    return undefined;
  }
}
