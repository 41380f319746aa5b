// Who the faces of a host let in, and what the configuration needs for that.
import type { Config, Issue, JwtRules } from '@portico/contracts';
import {
  type Authenticate,
  type Authentication,
  type ControlPlane,
  createAuthenticator,
  type Log,
} from '@portico/control-plane';
import { createJwtVerifier } from '@portico/identity';
import { isLoopback } from '@portico/policy-engine';

export interface Credentials {
  /** On loopback `/v1` asks for a token only where there are roles. */
  ofApi(bind: string): Authenticate;
  /** The MCP listener asks for the `authToken` wherever it is bound. */
  ofMcp(bind: string): Authenticate;
  /** How tokens of an issuer are checked; null where none are accepted. */
  jwt(): JwtRules | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * They follow the configuration that is in force.
 * @param send reads the keys of issuers, as `fetch`
 */
export function createCredentials(
  plane: Pick<ControlPlane, 'state'>,
  env: Environment,
  log: Log,
  send?: typeof fetch,
): Credentials {
  const verifyJwt = createJwtVerifier({ env: (name) => env[name], log, fetch: send });
  const config = () => plane.state().config;
  const rbac = () => config().rbac;
  /** Nobody gets in where a change has left nothing to ask for. */
  const createFor = (bind: string, authToken: () => string | null): Authenticate => {
    const authenticate = createAuthenticator({ rbac, authToken, env: (name) => env[name], verifyJwt });
    return (authorization) =>
      unauthenticatedBindIssues(config(), bind).length > 0 ? nothingToAskFor : authenticate(authorization);
  };
  return {
    ofApi: (bind) => createFor(bind, () => (isLoopback(bind) ? null : config().authToken)),
    ofMcp: (bind) => createFor(bind, () => config().authToken),
    jwt: () => rbac()?.jwt ?? null,
  };
}

const nothingToAskFor: Authentication = Object.freeze({
  kind: 'refused',
  status: 401,
  message: 'the configuration has neither an authToken nor rbac, and the service is not bound to loopback',
  hasToken: false,
});

/** Beyond loopback somebody has to be asked for something. */
export function unauthenticatedBindIssues({ authToken, rbac }: Config, bind: string): readonly Issue[] {
  if (isLoopback(bind) || authToken !== null || rbac !== null) return [];
  return [
    { path: 'authToken', message: `is required to bind to ${bind}, which is not loopback, where there is no rbac` },
  ];
}

export interface SecretVariable {
  /** The field that names it. */
  readonly path: string;
  readonly name: string;
}

/** The variables that `rbac` takes secrets from. */
export function secretVariables({ rbac }: Config): readonly SecretVariable[] {
  const ofTokens = (rbac?.tokens ?? []).flatMap(({ source }, index) =>
    source.kind === 'env' ? [{ path: `rbac.tokens[${index}].tokenEnv`, name: source.name }] : [],
  );
  const keys = rbac?.jwt?.keys;
  return keys?.kind === 'secret' ? [...ofTokens, { path: 'rbac.jwt.secretEnv', name: keys.env }] : ofTokens;
}
