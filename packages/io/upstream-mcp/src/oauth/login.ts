// One login: a link for a person, a loopback address that waits for the answer, and the code turned into tokens. It
// ends exactly once: done, failed, out of time or cancelled. No client is registered before the link is opened.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { OAuthTokens as TokenAnswer } from '@modelcontextprotocol/client';
import type { PendingLogin } from '@portico/upstream-pool';
import { type BeginAnswer, type CallbackAnswer, openCallbackListener } from './callback-listener.js';
import type { ClientIdentity } from './client-identity.js';
import type { OAuthContext } from './context.js';
import type { AuthorizationServer } from './discovery.js';
import { codeOf, issOf, RefusedByServer } from './login-answer.js';
import { describeOAuthError, OAuthFailure, oauthErrorCode } from './oauth-failure.js';
import type { OAuthSdk } from './sdk.js';

export type LoginOutcome =
  | { readonly kind: 'done'; readonly answer: TokenAnswer }
  /** `code` is the error code of RFC 6749, where there is one. */
  | { readonly kind: 'failed'; readonly reason: string; readonly code?: string | undefined }
  | { readonly kind: 'dropped' };

export interface LoginRequest {
  readonly server: AuthorizationServer;
  readonly scope: string | undefined;
  /** Redirect address of an earlier registration, whose port is taken again if it can be. */
  readonly earlierRedirectUri: string | undefined;
  /** The client identity; undefined when a client has to be registered. */
  readonly identityFor: (redirectUri: string) => Promise<ClientIdentity | undefined>;
  readonly register: (redirectUri: string) => Promise<ClientIdentity>;
  /** Runs before the login is reported as over, and before the person sees the page. */
  readonly onOver: (outcome: LoginOutcome) => Promise<void>;
  readonly limitMs: number;
}

/** A link longer than this is nothing that a browser would open. */
const maxLinkLength = 8_192;

/** @throws OAuthFailure, FetchFailed, and what the SDK throws; nothing listens then */
export async function openLogin(
  sdk: OAuthSdk,
  { fetch, own }: Pick<OAuthContext, 'fetch' | 'own'>,
  { server, scope, earlierRedirectUri, identityFor, register, onOver, limitMs }: LoginRequest,
): Promise<Omit<PendingLogin, 'isRequired'>> {
  const state = randomBytes(32).toString('base64url');
  const ticket = randomBytes(32).toString('base64url');
  let phase: 'waiting' | 'redeeming' | 'expired' | 'over' = 'waiting';
  let redeem: (params: URLSearchParams) => Promise<TokenAnswer> = () =>
    Promise.reject(new Error('the login has no link yet'));
  let markOver: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    markOver = resolve;
  });

  const end = async (outcome: LoginOutcome): Promise<void> => {
    if (phase === 'over') return;
    phase = 'over';
    clearTimeout(limit);
    listener.close();
    await onOver(outcome).finally(markOver);
  };

  const take = async (params: URLSearchParams): Promise<CallbackAnswer> => {
    // A stranger's answer must not end the login of the person who has the link.
    if (phase !== 'waiting' || !isSame(params.get('state') ?? '', state)) return { kind: 'foreign' };
    phase = 'redeeming';
    const outcome = await redeem(params).then(
      (answer): LoginOutcome => ({ kind: 'done', answer }),
      (error): LoginOutcome => failedBy(sdk, error),
    );
    const saving = await end(outcome).then(
      () => null,
      () => 'the tokens could not be kept',
    );
    if (saving !== null) return { kind: 'failed', reason: saving };
    return outcome.kind === 'failed' ? outcome : { kind: 'done' };
  };

  /** At the authorization server. */
  const begin = async (identity: ClientIdentity): Promise<URL> => {
    const { url, exchange } = await authorize(
      sdk,
      fetch,
      { server, scope, redirectUri: listener.redirectUri, state },
      identity,
    );
    redeem = exchange;
    return url;
  };

  /** A person has opened the link, and so asked for the login: once, however often the page is loaded. */
  let begun: Promise<URL> | undefined;
  const onBegin = async (params: URLSearchParams): Promise<BeginAnswer> => {
    if (phase !== 'waiting' || !isSame(params.get('ticket') ?? '', ticket)) return { kind: 'foreign' };
    begun ??= register(listener.redirectUri).then(begin);
    try {
      return { kind: 'redirect', url: await begun };
    } catch (error) {
      const outcome = failedBy(sdk, error);
      await end(outcome);
      return outcome;
    }
  };

  const listener = await openCallbackListener(own, earlierRedirectUri, { onCallback: take, onBegin });
  const expire = () => {
    if (phase !== 'waiting') return;
    phase = 'expired';
    listener.close();
  };
  const limit = setTimeout(expire, limitMs);
  limit.unref();
  try {
    const identity = await identityFor(listener.redirectUri);
    const link = identity === undefined ? `${listener.beginUri}?ticket=${ticket}` : (await begin(identity)).href;
    return {
      over,
      link: () => (phase === 'waiting' ? link : null),
      renew() {
        if (phase === 'expired') void end({ kind: 'dropped' });
      },
      cancel: () => void end({ kind: 'dropped' }),
    };
  } catch (error) {
    clearTimeout(limit);
    listener.close();
    throw error;
  }
}

interface AuthorizationRequest extends Pick<LoginRequest, 'server' | 'scope'> {
  readonly redirectUri: string;
  readonly state: string;
}

/** Where a person logs in, and how what that leads back with becomes tokens. */
async function authorize(
  sdk: OAuthSdk,
  fetch: OAuthContext['fetch'],
  { server, scope, redirectUri, state }: AuthorizationRequest,
  { information: clientInformation }: ClientIdentity,
) {
  const { metadata, resource } = server;
  const { authorizationUrl: url, codeVerifier } = await sdk.startAuthorization(server.url, {
    metadata,
    clientInformation,
    redirectUrl: redirectUri,
    state,
    resource,
    ...(scope === undefined ? {} : { scope }),
  });
  if (url.href.length > maxLinkLength) throw new OAuthFailure('the link to log in would be too long');
  const exchange = async (params: URLSearchParams): Promise<TokenAnswer> =>
    sdk.exchangeAuthorization(server.url, {
      metadata,
      clientInformation,
      authorizationCode: codeOf(sdk, server, params),
      ...issOf(params),
      codeVerifier,
      redirectUri,
      resource,
      fetchFn: fetch,
    });
  return { url, exchange };
}

function failedBy(sdk: OAuthSdk, error: unknown): Extract<LoginOutcome, { readonly kind: 'failed' }> {
  const code = error instanceof RefusedByServer ? error.code : oauthErrorCode(sdk, error);
  return { kind: 'failed', reason: describeOAuthError(sdk, error), code };
}

/** Takes as long for a wrong text as for the right one. */
function isSame(text: string, expected: string): boolean {
  const [a, b] = [Buffer.from(text), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
