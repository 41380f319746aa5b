// Handles a 401: finds the current authorization server, and tokens for it that were not refused yet. Discovery runs
// each time, because the authorization server may have changed, and nothing of the old one may go to the new one.
import { HttpFailure, placeOf } from '../failures.js';
import type { HttpResponse } from '../http-client.js';
import { readChallenge } from './challenge.js';
import type { OAuthContext } from './context.js';
import { credentialsAt } from './credentials.js';
import { type AuthorizationServer, discoverAuthorizationServer } from './discovery.js';
import { isOver } from './held-tokens.js';
import { describeOAuthError } from './oauth-failure.js';
import { renewTokens } from './renewal.js';
import { loadSdk, type OAuthSdk } from './sdk.js';
import type { OAuthTokens } from './store.js';

export type TokenSearch =
  /** The server does not do OAuth. */
  | { readonly kind: 'no_oauth' }
  | { readonly kind: 'found'; readonly server: AuthorizationServer; readonly tokens: OAuthTokens }
  | {
      readonly kind: 'login_needed';
      readonly sdk: OAuthSdk;
      readonly server: AuthorizationServer;
      /** Scope that the server's challenge names. */
      readonly challenged: string | undefined;
    };

/** @throws HttpFailure when the authorization server cannot be found, or not be asked this time */
export async function searchTokens(
  context: OAuthContext,
  refused: string | undefined,
  response: HttpResponse,
): Promise<TokenSearch> {
  const place = placeOf(context.settings.url);
  const sdk = await loadSdk();
  const failBecause = (what: string) => (error: unknown) => {
    throw new HttpFailure(`${place} ${what}: ${describeOAuthError(sdk, error)}`, { status: 401, sent: false });
  };
  const challenge = readChallenge(sdk, response);
  const server = await discoverAuthorizationServer(sdk, context, challenge).catch(
    failBecause('wants a login, which is not possible'),
  );
  if (server === null) return { kind: 'no_oauth' };
  const credentials = credentialsAt(server, context);
  const unusable = failBecause('cannot be used at the moment');
  const tokens = await credentials.tokens().catch(unusable);
  const isFresh = tokens !== undefined && tokens.accessToken !== refused && !isOver(tokens, Date.now());
  if (isFresh) return { kind: 'found', server, tokens };
  const renewed = tokens && (await renewTokens(sdk, context.fetch, server, credentials, tokens).catch(unusable));
  if (renewed !== undefined) return { kind: 'found', server, tokens: renewed };
  return { kind: 'login_needed', sdk, server, challenged: challenge.scope };
}
