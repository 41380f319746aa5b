// Keeps the one login of a server that a person is awaited for, and what earlier ones came to.
import type { PendingLogin } from '@portico/upstream-pool';
import { HttpFailure, placeOf } from '../failures.js';
import type { OAuthContext } from './context.js';
import { credentialsAt } from './credentials.js';
import type { AuthorizationServer } from './discovery.js';
import { type LoginOutcome, openLogin } from './login.js';
import { describeOAuthError } from './oauth-failure.js';
import { isAboutClient } from './renewal.js';
import { chooseScope } from './scopes.js';
import type { OAuthSdk } from './sdk.js';
import type { OAuthTokens } from './store.js';

export interface LoginNeed {
  /** `step_up`: there is a token, and the rest of the server can be used with it. */
  readonly kind: 'first' | 'step_up';
  /** Scope that the server's challenge names. */
  readonly challenged: string | undefined;
}

export interface AwaitedLogin {
  readonly login: PendingLogin;
  readonly failure: () => HttpFailure;
}

export interface LoginService {
  /** The failure that names the login: the one that is awaited already, or a new one. Never throws. */
  askFor(sdk: OAuthSdk, server: AuthorizationServer, need: LoginNeed): Promise<HttpFailure>;
  awaited(): AwaitedLogin | undefined;
  /** Whether another step-up may follow those that brought nothing so far. */
  mayStepUp(): boolean;
  accepted(): void;
  close(): void;
}

/** "Clients SHOULD implement retry limits" (MCP 2026-07-28, scope challenge handling). */
const maxStepUps = 3;

export function createLoginService(
  context: OAuthContext,
  onTokens: (server: AuthorizationServer, tokens: OAuthTokens) => void,
): LoginService {
  const { settings, fetch, loginLimitMs, log } = context;
  const place = placeOf(settings.url);
  let awaited: AwaitedLogin | undefined;
  let opening: Promise<HttpFailure> | undefined;
  let asked: { readonly issuer: string; readonly scope: string | undefined } | undefined;
  let lastFailure: string | undefined;
  let stepUps = 0;
  let isClosed = false;

  const open = async (sdk: OAuthSdk, server: AuthorizationServer, { kind, challenged }: LoginNeed) => {
    const { issuer } = server.metadata;
    const credentials = credentialsAt(server, context);
    const before = asked?.issuer === issuer ? asked.scope : (await credentials.tokens())?.scope;
    const scope = chooseScope(sdk, server, settings.client, { challenged, before });
    asked = { issuer, scope };

    const onOver = async (outcome: LoginOutcome) => {
      awaited = undefined;
      lastFailure = outcome.kind === 'failed' ? outcome.reason : undefined;
      if (outcome.kind === 'failed') {
        log(`a login at ${issuer} failed: ${outcome.reason}`);
        if (isAboutClient(outcome.code)) await credentials.forgetRegistration();
      }
      if (outcome.kind === 'done') onTokens(server, await credentials.keep(outcome.answer, scope));
    };
    const opened = await openLogin(sdk, context, {
      server,
      scope,
      earlierRedirectUri: (await credentials.registration())?.redirectUri,
      identityFor: (redirectUri) => credentials.identityFor(sdk, { redirectUri, scope }),
      register: (redirectUri) => credentials.register(sdk, fetch, { redirectUri, scope }),
      onOver,
      limitMs: loginLimitMs,
    });
    const login: PendingLogin = { ...opened, isRequired: kind === 'first' };
    const failure = () => toFailure(login, lastFailure);
    awaited = { login, failure };
    if (kind === 'step_up') stepUps += 1;
    if (isClosed) login.cancel();
    return failure();
  };

  const cannotOpen = (sdk: OAuthSdk, error: unknown): HttpFailure =>
    new HttpFailure(`${place} wants a login, which is not possible: ${describeOAuthError(sdk, error)}`, {
      status: 401,
      sent: false,
    });

  return {
    async askFor(sdk, server, need) {
      if (awaited !== undefined) return awaited.failure();
      opening ??= open(sdk, server, need)
        .catch((error) => cannotOpen(sdk, error))
        .finally(() => {
          opening = undefined;
        });
      return opening;
    },
    awaited: () => awaited,
    mayStepUp: () => awaited !== undefined || stepUps < maxStepUps,
    accepted() {
      stepUps = 0;
    },
    close() {
      isClosed = true;
      awaited?.login.cancel();
    },
  };
}

function toFailure(login: PendingLogin, lastFailure: string | undefined): HttpFailure {
  const link = login.link();
  login.renew();
  const next = link === null ? 'ask again for its link' : `open ${link}`;
  const before = lastFailure === undefined ? '' : ` (the last one failed: ${lastFailure})`;
  return login.isRequired
    ? new HttpFailure(`waits for a login${before}: ${next}`, { status: 401, sent: false, endsSession: true, login })
    : new HttpFailure(`a login for more scope is needed${before}: ${next}`, { status: 403, sent: false, login });
}
