// The shared parts of the OAuth tests: an MCP server that wants a login, an authorization server, and connectors over
// one store.
import type { UpstreamAuth } from '@portico/contracts';
import { loginOf, type PendingLogin, type UpstreamSession } from '@portico/upstream-pool';
import { createMcpConnector, type McpConnector } from '../connector.js';
import { createMemoryOAuthStore, type OAuthStore } from '../oauth/store.js';
import { type AuthServer, startAuthServer } from './auth-server.js';
import { follow } from './http-kit.js';
import { clientInfo, httpServer, onCleanup, patience, recordEvents } from './kit.js';
import { type ProtectedServer, startProtectedServer } from './protected-server.js';

export interface World {
  readonly as: AuthServer;
  readonly server: ProtectedServer;
  readonly store: OAuthStore;
  readonly logged: string[];
  connect(connector?: McpConnector): Promise<UpstreamSession>;
  /** Connects, and gives why that failed. */
  refusal(): Promise<Error>;
  /** Connects, opens the link of the login that this waits for, and gives it with where the link leads to. */
  login(): Promise<PendingLogin & { readonly url: URL }>;
  connector(): McpConnector;
  /** Says which servers are configured. */
  retain(servers: readonly string[]): Promise<void>;
}

export async function startWorld(auth: UpstreamAuth | null = null, loginLimitMs = 60_000): Promise<World> {
  const as = await startAuthServer();
  const server = await startProtectedServer(as);
  const store = createMemoryOAuthStore();
  const logged: string[] = [];
  const open = () => {
    const log = (_level: string, message: string) => logged.push(message);
    const connector = createMcpConnector({ clientInfo, env: {}, oauthStore: store, loginLimitMs, log });
    onCleanup(connector.close);
    return connector;
  };
  const own = open();
  const config = () =>
    httpServer(server.url, { protocolVersion: '2025-11-25', allowStateless: true, auth: resolved(auth, as) });
  const connect = async (connector = own) => {
    const session = await connector.connect('s', config(), recordEvents(), patience());
    onCleanup(session.close);
    return session;
  };
  const refusal = () =>
    connect().then(
      () => new Error('it connected'),
      (error) => error,
    );
  const login = async () => {
    const login = loginOf(await refusal());
    const link = login?.link();
    if (login === undefined || link == null) throw new Error('no login is awaited');
    return { ...login, url: await authorizationUrl(link) };
  };
  return { as, server, store, logged, connect, refusal, login, connector: open, retain: own.retainLogins };
}

/** Where a link leads to: a client that has to be registered is when a person opens the link. */
async function authorizationUrl(link: string): Promise<URL> {
  if (!link.includes('/login?ticket=')) return new URL(link);
  const { headers } = await fetch(link, { redirect: 'manual' });
  return new URL(headers.get('location') ?? 'about:blank');
}

/** The address of the authorization server is known only once it runs. */
const resolved = (auth: UpstreamAuth | null, as: AuthServer): UpstreamAuth | null =>
  auth?.type === 'oauth2' ? { ...auth, authorizationServerUrl: as.issuer } : auth;

export const oauth2 = { type: 'oauth2', clientId: 'portico', authorizationServerUrl: '' } as const;

/** A world whose person has followed the link. */
export async function loggedIn(auth: UpstreamAuth | null = null, scope: string | null = null) {
  const world = await startWorld(auth);
  world.server.scope = scope;
  await follow((await world.login()).url.href);
  return { ...world, session: await world.connect() };
}
