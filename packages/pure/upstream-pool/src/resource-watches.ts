// The watched resources of one server, sent to every session that is opened. It holds no listener. The watches outlive
// a connection: the replacement of a server takes them over.
import type { AbortSignalLike } from '@portico/async';
import type { Clock } from './clock.js';
import type { UpstreamSession } from './session.js';
import { startDeadline } from './signals.js';

/** The watches of one server id, for each server under it. */
export interface WatchedResources {
  /** Watches until the returned function is called. */
  add(uri: string): () => void;
  uris(): readonly string[];
  /** Replaces the listener for changes. */
  onChange(announce: () => void): void;
}

/** Passes the watched resources to the sessions of one upstream. */
export interface ResourceWatches {
  /** Replaces the session that gets the watches; undefined for none. */
  follow(session: UpstreamSession | undefined): void;
}

const announceTimeoutMs = 10_000;

export function createWatchedResources(): WatchedResources {
  const counts = new Map<string, number>();
  let announce = () => {};
  return {
    add(uri) {
      const before = counts.get(uri) ?? 0;
      counts.set(uri, before + 1);
      if (before === 0) announce();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (counts.get(uri) ?? 1) - 1;
        if (left > 0) return void counts.set(uri, left);
        counts.delete(uri);
        announce();
      };
    },
    uris: () => [...counts.keys()],
    onChange(next) {
      announce = next;
    },
  };
}

export function createResourceWatches(
  watched: WatchedResources,
  clock: Clock,
  signal: AbortSignalLike,
  onProblem: (line: string) => void,
): ResourceWatches {
  let current: UpstreamSession | undefined;

  let isAnnouncing = false;
  let isStale = false;

  /** One word at a time, and one for all that changed in the meantime. */
  const announce = async () => {
    isStale = true;
    if (isAnnouncing) return;
    isAnnouncing = true;
    await Promise.resolve(); // a caller may watch many at once
    while (isStale && current !== undefined) {
      isStale = false;
      await announceToSession(current);
    }
    isAnnouncing = false;
  };

  const announceToSession = async (session: UpstreamSession) => {
    const deadline = startDeadline(clock, announceTimeoutMs, signal);
    try {
      await session.watchResources(watched.uris(), deadline.signal);
    } catch (error) {
      if (!signal.aborted && session === current) {
        const reason = error instanceof Error ? error.message : String(error);
        onProblem(`[portico] updates of resources are not sent: ${reason}`);
      }
    } finally {
      deadline.stop();
    }
  };

  watched.onChange(() => void announce());
  return {
    follow(session) {
      if (session === current) return;
      current = session;
      if (watched.uris().length > 0) void announce();
    },
  };
}
