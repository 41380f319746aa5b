// Opens MCP sessions for the pool. It owns what outlives a session: the watchdog over children and what was learnt of
// each server's era. It never reads the process environment; everything a child or a header may see is passed in.
import type { AbortSignalLike } from '@portico/async';
import type { LookUpSecret, ServerAbout, ServerConfig, StdioServer } from '@portico/contracts';
import { createEgress, type Egress } from '@portico/egress';
import {
  type FrameTap,
  type UpstreamConnector,
  type UpstreamEvents,
  UpstreamFailure,
  type UpstreamSession,
} from '@portico/upstream-pool';
import { createAskingMemories } from './asking-memory.js';
import type { Established } from './attempt.js';
import { credentialsOf } from './auth-headers.js';
import type { Environment } from './child-env.js';
import { connectHttp } from './connect-http.js';
import { connectStdio } from './connect-stdio.js';
import { createEraMemory, type Verdict } from './era-memory.js';
import { rejectionCode, unreachable } from './failures.js';
import { poolOption } from './further-process.js';
import { createMcpSession } from './mcp-session.js';
import { createOAuth } from './oauth/oauth.js';
import { createMemoryOAuthStore, type OAuthStore } from './oauth/store.js';
import { createReaper } from './reaper.js';
import { createResourceWatch } from './resource-watch.js';
import { createKnownSecrets, type KnownSecrets } from './secrets/known-secrets.js';
import { maskEvents, maskFailure } from './secrets/mask.js';
import { resolveSecrets } from './secrets/resolve-secrets.js';
import { noSecrets } from './secrets/secret-lookup.js';
import { createServerGuards } from './server-guards.js';
import { createLargeParser, type InStageOf, type MessageNames, stagesFor } from './server-work.js';
import { createSessionLife } from './session-life.js';
import { createSpawnTurns } from './spawn-turns.js';
import type { ClientInfo } from './wire.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface McpConnectorOptions {
  /** Name and version that Portico sends as its own. */
  readonly clientInfo: ClientInfo;
  /** Where `tokenEnv`, `passwordEnv` and the harmless variables of children are taken from. */
  readonly env: Environment;
  /** Stored login results; by default they are lost with the connector. */
  readonly oauthStore?: OAuthStore;
  /** How long a login waits for a person: 10 minutes unless said otherwise. */
  readonly loginLimitMs?: number;
  /** Where requests may go; by default a guard of its own, which knows no listener but those of logins. */
  readonly egress?: Egress;
  /** Finds the secrets that the configuration names by URI; without it their servers cannot be connected. */
  readonly lookUpSecret?: LookUpSecret;
  /** Finds out which package a child runs; not asked where it is absent. */
  readonly findPackage?: (server: StdioServer) => Promise<string | null | undefined>;
  /** Learns every secret that is in use, for the log and the records, which must not show them. */
  readonly knownSecrets?: KnownSecrets;
  /** Names what is done of a server while it is done, for a watchdog. */
  readonly inStage?: InStageOf;
  /** Different names of members that a large message may have; the default of the configuration without it. */
  readonly messageNames?: MessageNames;
  readonly log?: (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface McpConnector extends UpstreamConnector {
  /** Ends and deletes the logins of other servers than these. Safe to call while an earlier one runs. */
  retainLogins(servers: readonly string[]): Promise<void>;
  /** Starts no child for this long; those that are asked for wait. */
  deferChildren(ms: number): void;
  /** Closes every session that is still open, and the watchdog. Never rejects. */
  close(): Promise<void>;
}

interface OAuthDeps {
  readonly egress: Egress;
  readonly knownSecrets: KnownSecrets;
  readonly log: NonNullable<McpConnectorOptions['log']>;
}

function oauthOf({ oauthStore = createMemoryOAuthStore(), loginLimitMs }: McpConnectorOptions, deps: OAuthDeps) {
  const { egress, knownSecrets, log } = deps;
  return createOAuth({
    egress,
    store: oauthStore,
    ...(loginLimitMs === undefined ? {} : { loginLimitMs }),
    onTokens: (server, tokens) => knownSecrets.learn(`login of ${server}`, tokens),
    log: (server, message) => log('warn', message, { server }),
  });
}

/** Whether a child was started, and has ended before it has answered. */
function hasEnded(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.detail.kind === 'unreachable' && error.detail.sent;
}

function maskedLog({ log }: McpConnectorOptions, { mask }: KnownSecrets): NonNullable<McpConnectorOptions['log']> {
  return (level, message, fields) => log?.(level, mask(message), fields);
}

/** @param reason why the session is unusable, or null @throws UpstreamFailure */
async function closeIfLost(session: UpstreamSession, reason: string | null): Promise<void> {
  if (reason === null) return;
  await session.close();
  throw unreachable(reason, false);
}

async function packageOf(
  { findPackage }: McpConnectorOptions,
  { transport }: ServerConfig,
): Promise<Pick<ServerAbout, 'package'>> {
  const found = transport.kind === 'stdio' ? await findPackage?.(transport) : undefined;
  return found === undefined ? {} : { package: found };
}

/** Nothing is started before the first `connect`. */
export function createMcpConnector(options: McpConnectorOptions): McpConnector {
  const { clientInfo, env, lookUpSecret = noSecrets, knownSecrets = createKnownSecrets() } = options;
  const log = maskedLog(options, knownSecrets);
  const frameTap: FrameTap = { recorder: undefined };
  const reaper = process.platform === 'win32' ? null : createReaper(env.PATH);
  const { next: spawnTurn, defer: deferChildren } = createSpawnTurns();
  const memory = createEraMemory();
  const askingMemoryOf = createAskingMemories();
  const egress = options.egress ?? createEgress();
  const guards = createServerGuards(egress);
  const oauth = oauthOf(options, { egress, knownSecrets, log });
  const sessions = new Set<UpstreamSession>();
  let isClosed = false;

  const connect = async (
    id: string,
    server: ServerConfig,
    events: UpstreamEvents,
    signal: AbortSignalLike,
  ): Promise<UpstreamSession> => {
    if (isClosed) throw unreachable('the connector is closed', false);
    const { transport: resolved, secrets } = await resolveSecrets(server, lookUpSecret, signal);
    knownSecrets.learn(id, [...secrets, ...credentialsOf(resolved, env)]);
    const life = createSessionLife(maskEvents(events, knownSecrets));
    const inStage = stagesFor(options.inStage, id);
    const shared = {
      clientInfo,
      declared: server.clientCapabilities,
      parseLarge: createLargeParser(inStage, options.messageNames),
      frames: { server: id, tap: frameTap },
      memory: askingMemoryOf(id, server),
    };
    const attempt = { ...shared, events: life.events, signal };
    const tryWith = async (remembered: Verdict | undefined): Promise<Established & Pick<UpstreamSession, 'login'>> => {
      if (resolved.kind === 'http') {
        const http = { id, server: resolved, env, oauth, guards, egress, remembered };
        const established = await connectHttp(http, attempt);
        memory.remember(id, server, established.verdict);
        return established;
      }
      const known = remembered === 'sse' ? undefined : remembered;
      const stdio = { server: resolved, env, reaper, spawnTurn, remembered: known };
      const established = await connectStdio({ ...stdio, firstMessage: memory.firstMessage(id, server) }, attempt);
      memory.remember(id, server, established.agreement.era);
      return established;
    };

    const remembered = memory.recall(id, server);
    const established = await tryWith(remembered).catch((error) => {
      memory.failed(id, server, hasEnded(error));
      if (remembered === undefined || rejectionCode(error) === undefined) throw error;
      log('info', 'the server no longer speaks the era it used to; asking again', { server: id });
      return tryWith(undefined);
    });
    const { peer, agreement } = established;
    const kept = { warn: (message: string) => log('warn', message, { server: id }), secrets: knownSecrets, inStage };
    const about = { ...agreement.about, ...(await packageOf(options, server)) };
    const stdio = resolved.kind === 'stdio' ? { server: resolved, env, reaper, spawnTurn } : null;
    const session = createMcpSession({
      ...{ ...established, ...kept, about },
      watchResources: createResourceWatch({ peer, agreement, relisten: life.watchResources }),
      ...poolOption(established, { stdio, attempt: shared, events, session: kept }),
      onClose() {
        life.end();
        sessions.delete(session);
      },
    });
    sessions.add(session);
    life.begin(established, (message) => log('debug', message, { server: id }));
    await closeIfLost(session, isClosed ? 'the connector is closed' : peer.lost());
    log('debug', 'connected', { server: id, protocolVersion: agreement.revision });
    return session;
  };

  return {
    frameTap,
    connect: (id, server, events, signal) =>
      connect(id, server, events, signal).catch((error) => {
        throw maskFailure(error, knownSecrets);
      }),
    retainLogins(servers) {
      guards.retain(servers);
      return oauth.retain(servers);
    },
    deferChildren,
    async close() {
      isClosed = true;
      oauth.close();
      await Promise.all([...sessions].map((session) => session.close()));
      await reaper?.close();
    },
  };
}
