// What the control plane needs from outside. Effects are behind these; everything else it does is a computation.
import type { Clock, UpstreamConnector } from '@portico/upstream-pool';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Writes one structured line. Fields never hold arguments, results or secrets. */
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

export interface PlaneDeps {
  readonly connector: UpstreamConnector;
  readonly clock: Clock;
  /** Fresh random bytes as lower-case hex: 32 characters for a trace, 16 for a span. */
  readonly randomHex: (characters: number) => string;
  readonly log: Log;
}
