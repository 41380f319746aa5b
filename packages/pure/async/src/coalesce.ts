// Coalesces requests for the same work: those made while it runs share one more run after it.

export interface Coalesced {
  ask(): void;
  /** Resolves when no run is wanted any more. */
  done(): Promise<void>;
}

/**
 * Creates a trigger for work of which one run at a time is enough: triggers during a run lead to one more run.
 * @param run must not reject
 */
export function coalesce(run: () => Promise<void>): Coalesced {
  let isWanted = false;
  let running: Promise<void> | undefined;
  const runAll = async () => {
    try {
      while (isWanted) {
        isWanted = false;
        await run();
      }
    } finally {
      running = undefined;
    }
  };
  return {
    ask() {
      isWanted = true;
      running ??= runAll();
    },
    done: async () => running,
  };
}
