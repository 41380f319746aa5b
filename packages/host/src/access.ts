// Access to a host's facades, and the settings that it needs.
import type { Config, Issue, JwtRules } from '@portico/contracts';
import {
  type Authenticate,
  type Authentication,
  type ControlPlane,
  createAuthenticator,
  type Log,
} from '@portico/control-plane';
import { createJwtVerifier } from '@portico/identity';
import { bearerToken, isLoopback } from '@portico/policy-engine';
import {
  callerAuthentication,
  lookAtPeer,
  operatorAuthentication,
  provenAuthentication,
  tokenAuthentication,
} from './local-door.js';
import { createOperatorAccess, type OperatorAccess } from './operator/operator-access.js';
import type { PeerCheck } from './peers/peer-check.js';

export interface Credentials {
  /** On loopback `/v1` asks for a token only where there are roles, or the configuration says so. */
  ofApi(bind: string): Authenticate;
  /** The MCP listener asks for the `authToken` wherever it is bound. */
  ofMcp(bind: string): Authenticate;
  /** How tokens of an issuer are checked; null if no issuer is accepted. */
  jwt(): JwtRules | null;
}

export interface LocalProof {
  readonly operatorAccess: OperatorAccess;
  /** Undefined if the system does not report the owner of a connection. */
  readonly peers: PeerCheck | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The required credentials of an entry point, decided once for a configuration. */
type Door = 'closed' | 'token' | 'local';

/**
 * They follow the configuration that is in force.
 * @param send reads the keys of issuers, as `fetch`
 */
export function createCredentials(
  plane: Pick<ControlPlane, 'state'>,
  env: Environment,
  log: Log,
  { operatorAccess, peers }: LocalProof = { operatorAccess: createOperatorAccess(), peers: undefined },
  send?: typeof fetch,
): Credentials {
  const verifyJwt = createJwtVerifier({ env: (name) => env[name], log, fetch: send });
  const rbac = () => plane.state().config.rbac;

  const createFor = (bind: string, authTokenOf: (config: Config) => string | null): Authenticate => {
    const authToken = () => authTokenOf(plane.state().config);
    const byToken = createAuthenticator({ rbac, authToken, env: (name) => env[name], verifyJwt });
    let known: Config | undefined;
    let door: Door = 'closed';
    const decide = (config: Config) => {
      const isAsked = config.rbac !== null || authTokenOf(config) !== null;
      // Where a change has left nothing to ask for, every caller is refused.
      door = unauthenticatedBindIssues(config, bind).length > 0 ? 'closed' : isAsked ? 'token' : 'local';
      known = config;
    };
    const askToken = (config: Config, authorization: string | undefined) => {
      const asked = byToken(authorization);
      return config.access.operatorToken && config.rbac === null && !(asked instanceof Promise)
        ? withoutOperator(asked)
        : asked;
    };
    return (authorization, connection) => {
      const { config } = plane.state();
      if (config !== known) decide(config);
      if (door === 'closed') return nothingToAskFor;
      const { access } = config;
      if (access.operatorToken && authorization !== undefined) {
        if (operatorAccess.isGood(bearerToken(authorization) ?? '')) return provenAuthentication;
        if (door === 'local') return notTheOperator;
      }
      if (door === 'token') return askToken(config, authorization);
      if (peers === undefined || connection === undefined || peers.own.has(connection))
        return access.operatorToken ? callerAuthentication : operatorAuthentication;
      return lookAtPeer(peers, connection, access);
    };
  };
  return {
    ofApi: (bind) =>
      createFor(bind, ({ authToken, access }) =>
        isLoopback(bind) && !access.requireTokenOnLoopback ? null : authToken,
      ),
    ofMcp: (bind) => createFor(bind, ({ authToken }) => authToken),
    jwt: () => rbac()?.jwt ?? null,
  };
}

/** The `authToken` lets calls in; administration needs the token of the operator. */
function withoutOperator(asked: Authentication): Authentication {
  return asked.kind === 'known' ? tokenAuthentication : asked;
}

const notTheOperator: Authentication = Object.freeze({
  kind: 'refused',
  status: 401,
  message:
    'the token is not the operator token of this service, nor that of an open console: the file operator-token of the state directory has it, the portico command sends it by itself, and portico ui opens the console',
  hasToken: true,
});

const nothingToAskFor: Authentication = Object.freeze({
  kind: 'refused',
  status: 401,
  message: 'the configuration has neither an authToken nor rbac, and the service is not bound to loopback',
  hasToken: false,
});

/** Beyond loopback every caller has to prove something. @param setting that names the address */
export function unauthenticatedBindIssues(
  { authToken, rbac }: Config,
  bind: string,
  setting = '--bind',
): readonly Issue[] {
  if (isLoopback(bind) || authToken !== null || rbac !== null) return [];
  const problem = `is required to bind to ${bind}, which is not loopback, where there is no rbac`;
  return [{ path: 'authToken', message: `${problem}; or have ${setting} name a loopback address` }];
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
