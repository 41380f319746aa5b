// Pauses between two tries that keep no process alive, and none of which goes on beyond the end of the service.
export interface Pauses {
  /** Whether it was over in time: false if it would go on beyond the limit. Never rejects. */
  wait(ms: number): Promise<boolean>;
  /** From now on no pause is longer, those that are under way among them. */
  limit(ms: number): void;
}

interface Pause {
  readonly dueAtMs: number;
  readonly end: (isOver: boolean) => void;
}

export function createPauses(now: () => number = () => performance.now()): Pauses {
  const pauses = new Set<Pause>();
  let untilMs = Number.POSITIVE_INFINITY;
  return {
    wait(ms) {
      const dueAtMs = now() + ms;
      if (dueAtMs > untilMs) return Promise.resolve(false);
      return new Promise((resolve) => {
        const timer = setTimeout(() => pause.end(true), ms).unref();
        const pause: Pause = {
          dueAtMs,
          end(isOver) {
            clearTimeout(timer);
            pauses.delete(pause);
            resolve(isOver);
          },
        };
        pauses.add(pause);
      });
    },
    limit(ms) {
      untilMs = Math.min(untilMs, now() + ms);
      for (const pause of [...pauses]) if (pause.dueAtMs > untilMs) pause.end(false);
    },
  };
}
