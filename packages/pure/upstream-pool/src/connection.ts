// One server's connection over its life: connect, discover, watch, and try again on the schedule when it is lost.
import { type AbortSignalLike, untilAborted } from '@portico/async';
import type { ServerConfig, ServerTraits, UpstreamDefinitions } from '@portico/contracts';
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
import { startDeadline } from './signals.js';
import type { Usage } from './usage.js';

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
  /** Given up on: tried once more after `retryMs`, or when someone asks for it. With `autoRestart` off only then. */
  | { readonly status: 'disabled'; readonly lastError: string; readonly isGivenUp: boolean; readonly retryMs?: number }
  /** Not running, since nothing needs it; started when something does. `lastError` is how its last run failed. */
  | { readonly status: 'idle'; readonly lastError?: string };

export interface ConnectionEvents {
  readonly onState: (state: ConnectionState) => void;
  /** The lists have changed. Whether calls are held until they are read, and the session is ended where they cannot be. */
  readonly onListsStale: () => boolean;
  /** They were read, and have not changed since. */
  readonly onListsRead: () => void;
  /** Called before `onDefinitions`, which waits for it. */
  readonly prepare: (definitions: UpstreamDefinitions) => Promise<void> | undefined;
  readonly onDefinitions: (definitions: UpstreamDefinitions, traits: ServerTraits) => void;
  readonly onResourceUpdated: (uri: string) => void;
  readonly onRestart: () => void;
  readonly onLog: (line: string) => void;
  readonly onLogMessage: UpstreamEvents['onLogMessage'];
  readonly onServerRequest: UpstreamEvents['onServerRequest'];
}

export interface ConnectionDeps {
  readonly connector: UpstreamConnector;
  readonly clock: Clock;
  /** After which a server that was given up on is tried once more, milliseconds; never where it is absent. */
  readonly retryGivenUpMs?: (() => number) | undefined;
}

export interface Keeping {
  readonly events: ConnectionEvents;
  readonly usage: Usage;
  /** Whether it is to be connected once, though nothing needs it. */
  readonly isWanted: boolean;
  readonly signal: AbortSignalLike;
  /** Wait for this first. */
  readonly after: Promise<void> | undefined;
}

/** Keeps a server connected while it is needed, until the signal aborts. One whose restarts are used up is tried once at a time, at long intervals. Resolves when it is over. */
export async function keepConnected(
  { connector, clock, retryGivenUpMs }: ConnectionDeps,
  id: string,
  server: ServerConfig,
  { events, usage, isWanted, signal, after }: Keeping,
): Promise<void> {
  const isChild = server.transport.kind === 'stdio';
  let isOwed = isWanted;
  let wasConnected = false;
  let retry = 0;
  const isToRun = () => isOwed || usage.isNeeded();
  const untilNeeded = async () => {
    await usage.arises(signal).catch(() => {}); // the next use looks at the signal itself
    if (!signal.aborted) events.onState({ status: 'connecting' });
  };
  if (isToRun()) events.onState({ status: 'connecting' });
  else {
    events.onState({ status: 'idle' });
    await untilNeeded();
  }
  await after;

  while (!signal.aborted) {
    let connectedAt: number | undefined;
    const onConnected = (session: UpstreamSession) => {
      wasConnected = true;
      isOwed = false;
      connectedAt = clock.now();
      events.onState({ status: 'connected', session });
    };
    const ending = await runOnce({ connector, clock }, id, server, { ...events, onConnected }, usage, signal);
    if (ending.kind === 'unused') {
      retry = 0;
      await untilNeeded();
      continue;
    }
    const { lastError, login } = ending;
    if (login !== undefined) {
      await waitForLogin(login, () => events.onState({ status: 'degraded', lastError, login }), signal);
      isOwed = true; // after a login the person expects a connection at once
      continue;
    }
    if (signal.aborted) return;
    if (connectedAt !== undefined && clock.now() - connectedAt >= healthyAfterMs) retry = 0;
    retry += 1;
    const next = nextAttempt(retry, isChild, server.resilience);
    if (next.kind === 'stop') {
      const { isGivenUp } = next;
      const retryMs = isGivenUp ? retryGivenUpMs?.() : undefined;
      const disabled = { status: 'disabled', lastError: `${lastError}; ${next.reason}`, isGivenUp } as const;
      events.onState(retryMs === undefined ? disabled : { ...disabled, retryMs });
      if (retryMs === undefined) return;
      await clock.sleep(retryMs, signal).catch(() => {}); // the loop looks at the signal itself
      if (signal.aborted) return;
      events.onRestart();
      continue; // while it is tried it is shown as before: only a connection changes that
    }
    events.onState({ status: wasConnected ? 'reconnecting' : 'degraded', lastError });
    await clock.sleep(next.delayMs, signal).catch(() => {}); // the loop looks at the signal itself
    if (signal.aborted) return;
    if (isToRun()) events.onRestart();
    else {
      events.onState({ status: 'idle', lastError });
      await untilNeeded();
    }
  }
}

/** People take as long as they take: this is no failure, and costs no restart. */
async function waitForLogin(login: PendingLogin, announce: () => void, signal: AbortSignalLike): Promise<void> {
  if (!signal.aborted) announce();
  await untilAborted(login.over, signal).catch(() => login.cancel());
}

type Ending =
  | { readonly kind: 'lost'; readonly lastError: string; readonly login?: PendingLogin }
  /** Stopped after the idle timeout. */
  | { readonly kind: 'unused' };

type RunEvents = ConnectionEvents & { readonly onConnected: (session: UpstreamSession) => void };

/** One connection from start to end; resolves with why it ended. */
async function runOnce(
  { connector, clock }: ConnectionDeps,
  id: string,
  server: ServerConfig,
  events: RunEvents,
  usage: Usage,
  signal: AbortSignalLike,
): Promise<Ending> {
  const life = new AbortController();
  const end = (reason: string) => life.abort(new ConnectionEnded(reason));
  const follow = () => end('stopped');
  signal.addEventListener('abort', follow, { once: true });
  const connecting = startDeadline(clock, connectTimeoutMs, life.signal);
  let session: UpstreamSession | undefined;
  let changes = 0;
  let isHeld = false;
  const refresher = createRefresher(
    clock,
    async () => {
      if (session === undefined) return;
      const reading = startDeadline(clock, refreshTimeoutMs, life.signal);
      const seen = changes;
      const release = usage.add(); // what it says has changed is to be known before it stops
      try {
        await readDefinitions(session, events, reading.signal);
        if (seen === changes) {
          isHeld = false;
          events.onListsRead();
        }
      } finally {
        release();
        reading.stop();
      }
    },
    (error) => {
      const problem = `could not read the changed lists: ${messageOf(error)}`;
      if (isHeld) end(problem);
      events.onLog(problem);
    },
    life.signal,
  );

  try {
    session = await connector.connect(
      id,
      server,
      {
        onClosed: end,
        onListChanged() {
          changes += 1;
          isHeld = events.onListsStale();
          refresher.request();
        },
        onResourceUpdated: events.onResourceUpdated,
        onLog: events.onLog,
        onLogMessage: events.onLogMessage,
        onServerRequest: events.onServerRequest,
      },
      connecting.signal,
    );
    await readDefinitions(session, events, connecting.signal);
    connecting.stop();
    life.signal.throwIfAborted();
    events.onConnected(session);
    refresher.start();
    await Promise.race([
      untilUnused(session, events, usage, life.signal),
      watch(clock, session, server.resilience.healthCheckIntervalSecs, life.signal),
    ]);
    return { kind: 'unused' };
  } catch (error) {
    const awaited = session?.login?.();
    const login = loginOf(error) ?? (awaited?.isRequired ? awaited : undefined);
    return { kind: 'lost', lastError: messageOf(error), ...(login === undefined ? {} : { login }) };
  } finally {
    signal.removeEventListener('abort', follow);
    connecting.stop();
    end('closed');
    await session?.close();
  }
}

async function readDefinitions(
  session: UpstreamSession,
  { prepare, onDefinitions }: ConnectionEvents,
  signal: AbortSignalLike,
): Promise<void> {
  const definitions = await untilAborted(session.discover(signal), signal);
  const preparing = prepare(definitions);
  if (preparing !== undefined) await untilAborted(preparing, signal);
  onDefinitions(definitions, { protocolVersion: session.protocolVersion, hasTasks: session.hasTasks === true });
}

/** A link that a person may be about to open keeps a session as well, and with it the login. */
function untilUnused(
  session: UpstreamSession,
  { onState }: ConnectionEvents,
  usage: Usage,
  signal: AbortSignalLike,
): Promise<void> {
  const stop = () => {
    const isLoginOpen = (session.login?.()?.link() ?? null) !== null;
    if (!isLoginOpen) onState({ status: 'idle' }); // at once: who comes from now on waits for the next session
    return !isLoginOpen;
  };
  return usage.ends(stop, signal);
}

/** Rejects when the connection ends or a health check fails; never resolves. */
async function watch(
  clock: Clock,
  session: UpstreamSession,
  intervalSecs: number | null,
  signal: AbortSignalLike,
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
