// Which resources of one server anybody watches, told to every session that is opened with it. It holds no listener.
import type { Clock } from './clock.js';
import type { UpstreamSession } from './session.js';
import { startDeadline } from './signals.js';

export interface ResourceWatches {
  /** Watches until the returned function is called. */
  add(uri: string): () => void;
  /** The session to be told from now on; undefined where there is none. */
  follow(session: UpstreamSession | undefined): void;
}

const tellTimeoutMs = 10_000;

export function createResourceWatches(
  clock: Clock,
  signal: AbortSignal,
  onProblem: (line: string) => void,
): ResourceWatches {
  const counts = new Map<string, number>();
  let current: UpstreamSession | undefined;

  let isTelling = false;
  let isStale = false;

  /** One word at a time, and one for all that changed in the meantime. */
  const tell = async () => {
    isStale = true;
    if (isTelling) return;
    isTelling = true;
    await Promise.resolve(); // whoever watches many says so in one go
    while (isStale && current !== undefined) {
      isStale = false;
      await tellSession(current);
    }
    isTelling = false;
  };

  const tellSession = async (session: UpstreamSession) => {
    const deadline = startDeadline(clock, tellTimeoutMs, signal);
    try {
      await session.watchResources([...counts.keys()], deadline.signal);
    } catch (error) {
      if (!signal.aborted && session === current) {
        const reason = error instanceof Error ? error.message : String(error);
        onProblem(`[portico] updates of resources are not told: ${reason}`);
      }
    } finally {
      deadline.stop();
    }
  };

  return {
    add(uri) {
      const before = counts.get(uri) ?? 0;
      counts.set(uri, before + 1);
      if (before === 0) void tell();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (counts.get(uri) ?? 1) - 1;
        if (left > 0) return void counts.set(uri, left);
        counts.delete(uri);
        void tell();
      };
    },
    follow(session) {
      if (session === current) return;
      current = session;
      if (counts.size > 0) void tell();
    },
  };
}
