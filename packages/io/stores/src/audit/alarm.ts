// Something that is due a while after it was first asked for, and not again until it has been done.
import type { AuditClock } from './clock.js';

export interface Alarm {
  /** Starts the timer, unless it is running. */
  start(): void;
  stop(): void;
}

export function createAlarm(clock: AuditClock, ms: number, ring: () => void): Alarm {
  let cancel: (() => void) | undefined;
  return {
    start() {
      cancel ??= clock.after(ms, () => {
        cancel = undefined;
        ring();
      });
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
