// Waits for servers without known definitions, so that a client which lists once sees their tools. Only for servers on
// their first attempt to connect, which every unknown server makes by itself: waiting starts no server.
import { type AbortSignalLike, untilAborted } from '@portico/async';
import type { Viewer } from '@portico/policy-engine';
import { type Clock, type Deadline, startDeadline, type Upstream, type UpstreamPool } from '@portico/upstream-pool';
import type { PlaneState } from '../../state/plane-state.js';
import { type AskedName, unknownServers } from '../../state/unknown-servers.js';

/**
 * The deadline of the waiting requests of one client, in monotonic milliseconds: set by the first of them that has to
 * wait.
 */
export interface Patience {
  untilMs?: number;
}

export interface FirstWaiting {
  /** Ends the wait, and nothing else. */
  readonly signal: AbortSignalLike;
  /** Waits only for the servers that may have these; for all without them. */
  readonly names?: readonly AskedName[] | undefined;
  /**
   * Shared deadline of the client. Without it, the wait for a server ends `mcp.firstListWaitMs` after the first such
   * wait began.
   */
  readonly patience?: Patience | undefined;
}

export interface FirstReadings {
  /**
   * Undefined if there is nothing to wait for, which is the usual case. Else resolves when the requested entries are
   * known and stored, when the servers that may have them failed to connect, or when `mcp.firstListWaitMs` is over.
   * Never rejects.
   */
  wait(viewer: Viewer, waiting: FirstWaiting): Promise<void> | undefined;
  /** Servers are being connected from now on. */
  start(): void;
  /** Ends every wait. */
  close(): void;
}

export interface FirstReadingsDeps {
  readonly clock: Clock;
  readonly state: () => PlaneState;
  readonly pool: Pick<UpstreamPool, 'get'>;
  /** Resolves when everything that was read by now is kept. */
  readonly kept: () => Promise<void>;
}

/** A first list waits no longer for the store. */
const keptWithinMs = 1000;

/** The awaited servers, and the deadline. */
interface Awaited {
  readonly over: Promise<void>;
  readonly untilMs: number;
}

export function createFirstReadings({ clock, state, pool, kept }: FirstReadingsDeps): FirstReadings {
  const pauses = new Set<Deadline>();
  const firstWaits = new WeakMap<object, number>(); // until when those without a patience wait, by what they wait for
  let isClosed = false;
  let isStarted = false;
  let markStarted = () => {};
  const started = new Promise<void>((resolve) => {
    markStarted = resolve;
  });

  const sharedUntil = (what: Upstream | Promise<void>, newUntilMs: number): number => {
    const untilMs = firstWaits.get(what) ?? newUntilMs;
    firstWaits.set(what, untilMs);
    return untilMs;
  };

  const awaited = (viewer: Viewer, { names, patience }: FirstWaiting): readonly Awaited[] => {
    const now = state();
    const unknown = unknownServers(now, viewer, names);
    if (unknown.length === 0) return [];
    const newUntilMs = patience?.untilMs ?? clock.now() + now.config.mcp.firstListWaitMs;
    const untilOf = (what: Upstream | Promise<void>) =>
      patience === undefined ? sharedUntil(what, newUntilMs) : newUntilMs;
    if (!isStarted) return [{ over: started, untilMs: untilOf(started) }];
    return unknown
      .map((id) => pool.get(id))
      .filter((upstream) => upstream !== undefined)
      .filter((upstream) => upstream.isOnFirstAttempt())
      .map((upstream) => ({ over: upstream.attempted, untilMs: untilOf(upstream) }));
  };

  /** Resolves when the work is done, or the time is over. */
  const pause = async (work: Promise<void>, ms: number, signal: AbortSignalLike): Promise<void> => {
    const deadline = startDeadline(clock, ms, signal);
    pauses.add(deadline);
    await untilAborted(work, deadline.signal).catch(() => {}); // the next look says what there is
    pauses.delete(deadline);
    deadline.stop();
  };

  const waitFor = async (viewer: Viewer, waiting: FirstWaiting): Promise<void> => {
    const { signal, patience } = waiting;
    while (!isClosed && !signal.aborted) {
      const all = awaited(viewer, waiting);
      const [first] = all;
      if (patience !== undefined && first !== undefined) patience.untilMs ??= first.untilMs;
      const left = all.filter(({ untilMs }) => untilMs > clock.now());
      if (left.length === 0) break;
      const soonestMs = Math.min(...left.map(({ untilMs }) => untilMs));
      await pause(Promise.race(left.map(({ over }) => over)), soonestMs - clock.now(), signal);
    }
    await pause(kept(), keptWithinMs, signal);
  };

  return {
    wait(viewer, waiting) {
      const { config, servers } = state();
      if (servers.size === config.servers.size || isClosed) return undefined;
      const isOver = ({ untilMs }: Awaited) => untilMs <= clock.now();
      return awaited(viewer, waiting).every(isOver) ? undefined : waitFor(viewer, waiting);
    },
    start() {
      isStarted = true;
      markStarted();
    },
    close() {
      isClosed = true;
      for (const deadline of pauses) deadline.abort(new Error('the service is stopping'));
    },
  };
}
