// Renews tokens in the background while a session uses them.

export interface RenewalTimer {
  /** When to renew next; null for not at all. */
  set(atEpochMs: number | null): void;
  /** Marks the tokens as used until the returned function is called. */
  use(): () => void;
}

const maxTimerMs = 2_147_483_647;
/** An authorization server that is away, or whose tokens live for a moment, is not asked without end. */
const minTimerMs = 1_000;

export function createRenewalTimer(renew: () => void): RenewalTimer {
  let users = 0;
  let dueAtEpochMs: number | null = null;
  let timer: NodeJS.Timeout | undefined;

  const arm = () => {
    clearTimeout(timer);
    if (users === 0 || dueAtEpochMs === null) return;
    const delayMs = Math.min(Math.max(dueAtEpochMs - Date.now(), minTimerMs), maxTimerMs);
    timer = setTimeout(delayMs === maxTimerMs ? arm : renew, delayMs).unref();
  };

  return {
    set(atEpochMs) {
      dueAtEpochMs = atEpochMs;
      arm();
    },
    use() {
      users += 1;
      arm();
      let isUsed = true;
      return () => {
        if (isUsed) users -= 1;
        isUsed = false;
        if (users === 0) clearTimeout(timer);
      };
    },
  };
}
