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
  onChange(tell: () => void): void;
}

/** Passes the watched resources to the sessions of one upstream. */
export interface ResourceWatches {
  /** Replaces the session that gets the watches; undefined for none. */
  follow(session: UpstreamSession | undefined): void;
}

const tellTimeoutMs = 10_000;

export function createWatchedResources(): WatchedResources {
  const counts = new Map<string, number>();
  let tell = () => {};
  return {
    add(uri) {
      const before = counts.get(uri) ?? 0;
      counts.set(uri, before + 1);
      if (before === 0) tell();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (counts.get(uri) ?? 1) - 1;
        if (left > 0) return void counts.set(uri, left);
        counts.delete(uri);
        tell();
      };
    },
    uris: () => [...counts.keys()],
    onChange(next) {
      tell = next;
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

  let isTelling = false;
  let isStale = false;

  /** One word at a time, and one for all that changed in the meantime. */
  const tell = async () => {
    isStale = true;
    if (isTelling) return;
    isTelling = true;
    await Promise.resolve(); // a caller may watch many at once
    while (isStale && current !== undefined) {
      isStale = false;
      await tellSession(current);
    }
    isTelling = false;
  };

  const tellSession = async (session: UpstreamSession) => {
    const deadline = startDeadline(clock, tellTimeoutMs, signal);
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

  watched.onChange(() => void tell());
  return {
    follow(session) {
      if (session === current) return;
      current = session;
      if (watched.uris().length > 0) void tell();
    },
  };
}
