// Work that answers many: who asks while it runs is answered by one more run after it.

export interface Afterthought {
  ask(): void;
  /** Resolves when nobody waits for a run any more. */
  done(): Promise<void>;
}

/** @param run never rejects */
export function createAfterthought(run: () => Promise<void>): Afterthought {
  let isWanted = false;
  let running: Promise<void> | undefined;
  const runAll = async () => {
    while (isWanted) {
      isWanted = false;
      await run();
    }
    running = undefined;
  };
  return {
    ask() {
      isWanted = true;
      running ??= runAll();
    },
    done: async () => running,
  };
}
