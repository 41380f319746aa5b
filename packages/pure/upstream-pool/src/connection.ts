// One server's connection over its life: connect, discover, watch, and try again on the schedule when it is lost.
import type { ServerConfig, UpstreamDefinitions } from '@portico/contracts';
import type { Clock } from './clock.js';
import { createRefresher } from './refresher.js';
import { healthyAfterMs, nextAttempt } from './restart-schedule.js';
import {
  loginOf,
  type PendingLogin,
  type UpstreamConnector,
  type UpstreamEvents,
  type UpstreamSession,
} from './session.js';
import { startDeadline, untilAborted } from './signals.js';

const connectTimeoutMs = 60_000;
const refreshTimeoutMs = 60_000;
const healthCheckTimeoutMs = 10_000;

export type ConnectionState =
  | { readonly status: 'connecting' }
  | { readonly status: 'connected'; readonly session: UpstreamSession }
  /** Never connected so far and tried again on the schedule; or waits for a login and is tried again after it. */
  | { readonly status: 'degraded'; readonly lastError: string; readonly login?: PendingLogin }
  /** Was connected; tried again on the schedule. */
  | { readonly status: 'reconnecting'; readonly lastError: string }
  /** Not tried again until someone asks for it. */
  | { readonly status: 'disabled'; readonly lastError: string };

export interface ConnectionEvents {
  readonly onState: (state: ConnectionState) => void;
  readonly onDefinitions: (definitions: UpstreamDefinitions) => void;
  readonly onResourceUpdated: (uri: string) => void;
  readonly onRestart: () => void;
  readonly onLog: (line: string) => void;
  readonly onLogMessage: UpstreamEvents['onLogMessage'];
  readonly onQuestion: UpstreamEvents['onQuestion'];
}

export interface ConnectionDeps {
  readonly connector: UpstreamConnector;
  readonly clock: Clock;
}

/** Keeps a server connected until the signal aborts or its restarts are used up. Resolves when it is over. @param after what to wait for first */
export async function keepConnected(
  { connector, clock }: ConnectionDeps,
  id: string,
  server: ServerConfig,
  events: ConnectionEvents,
  signal: AbortSignal,
  after?: Promise<void>,
): Promise<void> {
  const isChild = server.transport.kind === 'stdio';
  let wasConnected = false;
  let retry = 0;
  events.onState({ status: 'connecting' });
  await after;

  while (!signal.aborted) {
    let connectedAt: number | undefined;
    const onConnected = (session: UpstreamSession) => {
      wasConnected = true;
      connectedAt = clock.now();
      events.onState({ status: 'connected', session });
    };
    const { lastError, login } = await runOnce({ connector, clock }, id, server, { ...events, onConnected }, signal);
    if (login !== undefined) {
      await waitForLogin(login, () => events.onState({ status: 'degraded', lastError, login }), signal);
      continue;
    }
    if (signal.aborted) return;
    if (connectedAt !== undefined && clock.now() - connectedAt >= healthyAfterMs) retry = 0;
    retry += 1;
    const next = nextAttempt(retry, isChild, server.resilience);
    if (next.kind === 'stop') {
      events.onState({ status: 'disabled', lastError: `${lastError}; ${next.reason}` });
      return;
    }
    events.onState({ status: wasConnected ? 'reconnecting' : 'degraded', lastError });
    await clock.sleep(next.delayMs, signal).catch(() => {}); // the loop looks at the signal itself
    if (!signal.aborted) events.onRestart();
  }
}

/** People take as long as they take: this is no failure, and costs no restart. */
async function waitForLogin(login: PendingLogin, announce: () => void, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) announce();
  await untilAborted(login.over, signal).catch(() => login.cancel());
}

interface Ending {
  readonly lastError: string;
  readonly login?: PendingLogin;
}

type RunEvents = ConnectionEvents & { readonly onConnected: (session: UpstreamSession) => void };

/** One connection from start to end; resolves with why it ended. */
async function runOnce(
  { connector, clock }: ConnectionDeps,
  id: string,
  server: ServerConfig,
  events: RunEvents,
  signal: AbortSignal,
): Promise<Ending> {
  const life = new AbortController();
  const end = (reason: string) => life.abort(new ConnectionEnded(reason));
  const follow = () => end('stopped');
  signal.addEventListener('abort', follow, { once: true });
  const connecting = startDeadline(clock, connectTimeoutMs, life.signal);
  let session: UpstreamSession | undefined;
  const refresher = createRefresher(
    clock,
    async () => {
      if (session === undefined) return;
      const reading = startDeadline(clock, refreshTimeoutMs, life.signal);
      try {
        events.onDefinitions(await untilAborted(session.discover(reading.signal), reading.signal));
      } finally {
        reading.stop();
      }
    },
    (error) => events.onLog(`could not read the changed lists: ${messageOf(error)}`),
    life.signal,
  );

  try {
    session = await connector.connect(
      id,
      server,
      {
        onClosed: end,
        onListChanged: () => refresher.request(),
        onResourceUpdated: events.onResourceUpdated,
        onLog: events.onLog,
        onLogMessage: events.onLogMessage,
        onQuestion: events.onQuestion,
      },
      connecting.signal,
    );
    events.onDefinitions(await untilAborted(session.discover(connecting.signal), connecting.signal));
    connecting.stop();
    life.signal.throwIfAborted();
    events.onConnected(session);
    refresher.start();
    await watch(clock, session, server.resilience.healthCheckIntervalSecs, life.signal);
    return { lastError: 'stopped' };
  } catch (error) {
    const awaited = session?.login?.();
    const login = loginOf(error) ?? (awaited?.isRequired ? awaited : undefined);
    return { lastError: messageOf(error), ...(login === undefined ? {} : { login }) };
  } finally {
    signal.removeEventListener('abort', follow);
    connecting.stop();
    end('closed');
    await session?.close();
  }
}

/** Rejects when the connection ends or a health check fails; never resolves. */
async function watch(
  clock: Clock,
  session: UpstreamSession,
  intervalSecs: number | null,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    if (intervalSecs === null) return await untilAborted(new Promise<never>(() => {}), signal);
    await clock.sleep(intervalSecs * 1000, signal);
    const check = startDeadline(clock, healthCheckTimeoutMs, signal);
    try {
      await untilAborted(session.checkHealth(check.signal), check.signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new ConnectionEnded(`health check failed: ${messageOf(error)}`);
    } finally {
      check.stop();
    }
  }
}

class ConnectionEnded extends Error {}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
