// The authorization of one upstream server: the token in use, its renewal (one at a time), and the login
// that a person is awaited for. It never sends anything to the server itself.
import type { PendingLogin } from '@portico/upstream-pool';
import { HttpFailure, placeOf } from '../failures.js';
import type { HttpResponse } from '../http-client.js';
import { readChallenge } from './challenge.js';
import type { OAuthContext } from './context.js';
import { credentialsAt } from './credentials.js';
import type { AuthorizationServer } from './discovery.js';
import { type HeldTokens, holdTokens, isDue, isOver } from './held-tokens.js';
import { createLoginService } from './login-service.js';
import { describeOAuthError } from './oauth-failure.js';
import { renewTokens } from './renewal.js';
import { createRenewalTimer } from './renewal-timer.js';
import { loadSdk } from './sdk.js';
import type { OAuthTokens } from './store.js';
import { searchTokens } from './token-search.js';

export interface ServerAuth {
  /** The token to send, undefined without one; a promise where it is renewed first. @throws HttpFailure, by the promise */
  token(): string | undefined | Promise<string | undefined>;
  /**
   * After a 401 to a request with this token: another one to try with, or null when the server does not do OAuth.
   * @throws HttpFailure, with the login that is awaited if there is one
   */
  renew(refused: string | undefined, response: HttpResponse): Promise<string | null>;
  /** After a 401 to tokens that were just renewed: only a person can help. @throws HttpFailure */
  refuse(response: HttpResponse): Promise<string | null>;
  /** Called after a 403 for insufficient scope. @throws HttpFailure always */
  stepUp(response: HttpResponse): Promise<never>;
  /** The server took the token. */
  accepted(): void;
  /** The login that is awaited, for the server or for more of it. */
  login(): PendingLogin | undefined;
  /** Tokens are renewed in the background until the returned function is called. */
  use(): () => void;
  /** No login and no renewal from here on; the token that is there may still be used. */
  close(): void;
}

export function createServerAuth(context: OAuthContext): ServerAuth {
  const place = placeOf(context.settings.url);
  let held: HeldTokens | undefined;
  let renewing: Promise<string | null> | undefined;
  let isClosed = false;

  const hold = (server: AuthorizationServer, tokens: OAuthTokens): string => {
    const { accessToken, refreshToken } = tokens;
    context.onTokens?.(refreshToken === undefined ? [accessToken] : [accessToken, refreshToken]);
    held = holdTokens(server, tokens, Date.now());
    // Once they are over it takes a request to try again: an authorization server that is away is not asked without need.
    timer.set(isClosed || isOver(tokens, Date.now()) ? null : held.renewAtEpochMs);
    return tokens.accessToken;
  };
  const letGo = () => {
    held = undefined;
    timer.set(null);
  };
  const service = createLoginService(context, hold);

  /** One renewal at a time: a second one would redeem a refresh token that the first has used up. */
  const alone = (renewal: () => Promise<string | null>): Promise<string | null> => {
    renewing ??= renewal().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  const renewAfter = async (refused: string | undefined, response: HttpResponse): Promise<string | null> => {
    const search = await searchTokens(context, refused, response);
    if (search.kind === 'found') return hold(search.server, search.tokens);
    letGo();
    if (search.kind === 'no_oauth') return null;
    throw await service.askFor(search.sdk, search.server, { kind: 'first', challenged: search.challenged });
  };

  /** Null when a person has to log in again; the server's 401 to the next request will bring that about. */
  const renewAhead = async (before: HeldTokens): Promise<string | null> => {
    const renewed = await renewHeld(context, before);
    if (renewed !== undefined) return hold(before.server, renewed);
    letGo();
    return null;
  };

  const timer = createRenewalTimer(() => {
    const current = held;
    if (current !== undefined) alone(() => renewAhead(current)).catch(() => {}); // reported to those who send requests
  });

  return {
    token() {
      const awaited = service.awaited();
      if (awaited?.login.isRequired) return Promise.reject(awaited.failure());
      const current = held;
      if (current === undefined || isClosed || !isDue(current, Date.now())) return current?.tokens.accessToken;
      return alone(() => renewAhead(current)).then((token) => token ?? undefined);
    },
    async renew(refused, response) {
      const current = held?.tokens.accessToken;
      if (current !== undefined && current !== refused) return current;
      if (isClosed) throw hasEnded(place);
      return alone(() => renewAfter(refused, response));
    },
    async refuse(response) {
      if (isClosed) throw hasEnded(place);
      if (held !== undefined) await credentialsAt(held.server, context).forgetTokens();
      return alone(() => renewAfter(undefined, response));
    },
    async stepUp(response) {
      if (isClosed) throw hasEnded(place);
      const sdk = await loadSdk();
      const { scope } = readChallenge(sdk, response);
      const current = held;
      const granted = current?.tokens.scope;
      const isMore = sdk.isStrictScopeSuperset(sdk.computeScopeUnion(granted, scope), granted);
      if (current === undefined || !isMore || !service.mayStepUp()) throw scopeRefused(place, scope);
      throw await service.askFor(sdk, current.server, { kind: 'step_up', challenged: scope });
    },
    accepted: service.accepted,
    login: () => service.awaited()?.login,
    use: timer.use,
    close() {
      isClosed = true;
      service.close();
      timer.set(null);
    },
  };
}

/** The tokens as they are when the authorization server could not be asked: it may be back before they end. */
async function renewHeld(context: OAuthContext, { server, tokens }: HeldTokens): Promise<OAuthTokens | undefined> {
  const sdk = await loadSdk();
  try {
    return await renewTokens(sdk, context.fetch, server, credentialsAt(server, context), tokens);
  } catch (error) {
    context.log(describeOAuthError(sdk, error));
    return tokens;
  }
}

function hasEnded(place: string): HttpFailure {
  const message = `${place} wants a login, which this session cannot have: the server was changed or removed`;
  return new HttpFailure(message, { status: 401, sent: false });
}

function scopeRefused(place: string, scope: string | undefined): HttpFailure {
  const wanted = scope === undefined ? 'more scope' : `scope ${JSON.stringify(scope)}`;
  const message = `access denied (status 403) at ${place}: it wants ${wanted}, which the login did not bring`;
  return new HttpFailure(message, { status: 403, sent: false });
}
