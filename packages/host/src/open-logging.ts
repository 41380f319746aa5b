// Observes the service while other parts are opened and closed: the log, and the watchdog that writes to it.
import { createLogger } from '@portico/telemetry';
import { createKnownSecrets, type KnownSecrets } from '@portico/upstream-mcp';
import type { Closing } from './closing.js';
import type { HostOptions } from './host-options.js';
import { createLimitedLog } from './limited-log.js';
import { createRedactingLog, type RedactingLog } from './redacting-log.js';
import { systemClock } from './system-clock.js';
import { createWatchdog, type Watchdog } from './watchdog/watchdog.js';

export interface Logging {
  /** Keeps known secrets from view, and holds back what servers flood it with. */
  readonly log: RedactingLog['log'];
  readonly redactBy: RedactingLog['follow'];
  readonly knownSecrets: KnownSecrets;
  readonly watchdog: Watchdog;
}

/** Closed last: the watchdog watches the stop, and both write until then. */
export function openLogging(
  { logLevel: level = 'warn', logDestination: destination }: HostOptions,
  closing: Closing,
): Logging {
  const knownSecrets = createKnownSecrets();
  const redacting = createRedactingLog(createLogger({ level, destination }), knownSecrets);
  const { log, close } = createLimitedLog(redacting.log, systemClock);
  closing.add(close);
  const watchdog = createWatchdog(log);
  closing.add(watchdog.close);
  return { log, redactBy: redacting.follow, knownSecrets, watchdog };
}
