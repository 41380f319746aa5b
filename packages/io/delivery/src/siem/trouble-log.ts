// Logs trouble with a target: once a minute at most, and once when it is over. Remedies nothing.
import type { DeliveryLog } from '../webhook-sender.js';
import type { SiemClock } from './siem-clock.js';

type Fields = Readonly<Record<string, unknown>>;

export interface TroubleLog {
  failed(reason: string): void;
  /** It went well this time. */
  succeeded(): void;
}

export interface TroubleMessages {
  readonly failing: string;
  readonly over: string;
}

const intervalMs = 60_000;

export function createTroubleLog(
  log: DeliveryLog,
  clock: SiemClock,
  messages: TroubleMessages,
  targetFields: () => Fields,
): TroubleLog {
  let failures = 0; // since the last line
  let lastLineMs: number | undefined;
  let isReported = false; // of trouble that is not over

  function isLineDue(): boolean {
    const sinceMs = lastLineMs === undefined ? intervalMs : clock.epochMs() - lastLineMs;
    return sinceMs >= intervalMs || sinceMs < 0; // negative where the time of day was set back
  }

  return {
    failed(reason) {
      failures++;
      if (!isLineDue()) return;
      log('warn', messages.failing, {
        ...targetFields(),
        failures,
        reason,
      });
      lastLineMs = clock.epochMs();
      failures = 0;
      isReported = true;
    },
    succeeded() {
      if (!isReported) return;
      log('info', messages.over, { ...targetFields(), failures });
      failures = 0;
      isReported = false;
    },
  };
}
