// Runs a refresh again when it was asked for, one at a time; requests that come meanwhile make one more run.

export interface Refresher {
  request(): void;
  /** Begins to carry out requests, those made before included. */
  start(): void;
}

export function createRefresher(refresh: () => Promise<void>, onError: (error: unknown) => void): Refresher {
  let started = false;
  let wanted = false;
  let running = false;

  const run = async () => {
    if (running || !started) return;
    running = true;
    while (wanted) {
      wanted = false;
      await refresh().catch(onError);
    }
    running = false;
  };

  return {
    request() {
      wanted = true;
      void run();
    },
    start() {
      started = true;
      void run();
    },
  };
}
