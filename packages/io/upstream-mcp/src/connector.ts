// Opens MCP sessions for the pool. It owns what outlives a session: the watchdog over children and what was learnt of
// each server's era. It never reads the process environment; everything a child or a header may see is passed in.
import type { ServerConfig } from '@portico/contracts';
import type { UpstreamConnector, UpstreamEvents, UpstreamSession } from '@portico/upstream-pool';
import type { Established } from './attempt.js';
import { watchChanges } from './change-watch.js';
import type { Environment } from './child-env.js';
import { connectHttp } from './connect-http.js';
import { connectStdio } from './connect-stdio.js';
import { createEraMemory, type Verdict } from './era-memory.js';
import { messageOf, rejectionCode, unreachable } from './failures.js';
import { createMcpSession } from './mcp-session.js';
import { dispatchNotification } from './notifications.js';
import { createReaper } from './reaper.js';
import { refuseSecretUris } from './secret-uris.js';
import { createWaits } from './waits.js';
import type { ClientInfo } from './wire.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface McpConnectorOptions {
  /** Who we say we are. */
  readonly clientInfo: ClientInfo;
  /** Where `tokenEnv`, `passwordEnv` and the harmless variables of children are taken from. */
  readonly env: Environment;
  readonly log?: (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface McpConnector extends UpstreamConnector {
  /** Closes every session that is still open, and the watchdog. Never rejects. */
  close(): Promise<void>;
}

/** How long after connecting to a session over HTTP its lists are worth a second look. */
const secondLookMs = 250;

/** Nothing is started before the first `connect`. */
export function createMcpConnector(options: McpConnectorOptions): McpConnector {
  const { clientInfo, env, log = () => {} } = options;
  const reaper = process.platform === 'win32' ? null : createReaper(env.PATH);
  const memory = createEraMemory();
  const sessions = new Set<UpstreamSession>();
  let isClosed = false;

  const connect = async (
    id: string,
    server: ServerConfig,
    events: UpstreamEvents,
    signal: AbortSignal,
  ): Promise<UpstreamSession> => {
    if (isClosed) throw unreachable('the connector is closed', false);
    refuseSecretUris(server);
    const life = createLife(events);
    const attempt = { clientInfo, events: life.events, signal };
    const tryWith = async (remembered: Verdict | undefined): Promise<Established> => {
      const { transport } = server;
      if (transport.kind === 'http') {
        const established = await connectHttp({ server: transport, env, remembered }, attempt);
        memory.remember(id, server, established.verdict);
        return established;
      }
      const known = remembered === 'sse' ? undefined : remembered;
      const established = await connectStdio({ server: transport, env, reaper, remembered: known }, attempt);
      memory.remember(id, server, established.agreement.era);
      return established;
    };

    const remembered = memory.recall(id, server);
    const established = await tryWith(remembered).catch((error) => {
      memory.forget(id);
      if (remembered === undefined || rejectionCode(error) === undefined) throw error;
      log('info', 'the server no longer speaks the era it used to; asking again', { server: id });
      return tryWith(undefined);
    });
    const { peer, transport, agreement } = established;
    const warn = (message: string) => log('warn', message, { server: id });
    const session = createMcpSession({
      peer,
      transport,
      agreement,
      warn,
      onClose() {
        life.end();
        sessions.delete(session);
      },
    });
    sessions.add(session);
    life.begin(established, (message) => log('debug', message, { server: id }));
    if (isClosed) {
      await session.close();
      throw unreachable('the connector is closed', false);
    }
    log('debug', 'connected', { server: id, protocolVersion: agreement.revision });
    return session;
  };

  return {
    connect,
    async close() {
      isClosed = true;
      await Promise.all([...sessions].map((session) => session.close()));
      reaper?.close();
    },
  };
}

/** The events of one session from its first sign of life to its end, after which none is passed on. */
function createLife(events: UpstreamEvents) {
  const over = new AbortController();
  const waits = createWaits();
  let phase: 'connecting' | 'connected' | 'ended' = 'connecting';
  let hasReplyStreams = false;
  let subscriptions = 0;

  const onListChanged = () => {
    if (phase === 'connected') events.onListChanged();
  };
  const onLog = (line: string) => {
    if (phase !== 'ended') events.onLog(line);
  };
  const notificationEvents = {
    onListChanged,
    onLog,
    onResourceUpdated(uri: string) {
      if (phase === 'connected') events.onResourceUpdated(uri);
    },
    onSubscribed() {
      subscriptions += 1;
      // Over HTTP the lists may have been read before the subscription was in force; a second one follows a gap.
      if (hasReplyStreams || subscriptions > 1) onListChanged();
    },
  };
  const end = () => {
    phase = 'ended';
    over.abort(new Error('the session is over'));
    waits.end();
  };

  return {
    end,
    events: {
      onLog,
      onGap: onListChanged,
      onNotification: (method: string, params: Parameters<typeof dispatchNotification>[1]) =>
        dispatchNotification(method, params, notificationEvents),
      onClosed(reason: string) {
        if (phase !== 'connected') return;
        end();
        events.onClosed(reason);
      },
    },
    begin({ peer, transport, agreement }: Established, onProblem: (message: string) => void) {
      phase = 'connected';
      hasReplyStreams = transport.hasReplyStreams;
      if (agreement.era === 'modern') {
        const { capabilities } = agreement;
        watchChanges({ peer, capabilities, waits, signal: over.signal, onProblem }).catch((error) =>
          onProblem(messageOf(error)),
        );
      } else if (transport.sessionId() !== undefined) {
        // What a session announces before its stream is open is lost.
        void waits.wait(secondLookMs).then(onListChanged);
      }
    },
  };
}
