// How often each capability was called, or each actor called, in memory that grows with their number and not with that of
// records.
import type { AuditEventType, AuditRecord, AuditStatus } from './record.js';

/** The field of a record by whose values calls are counted. */
export type UsageField = 'capability_id' | 'actor_id';

export interface NamedUsage {
  /** The capability or the actor; empty for calls without an actor. */
  readonly name: string;
  /** Calls that were admitted, with any outcome. */
  readonly calls: number;
  /** The failed calls among `calls`. */
  readonly failed: number;
  /** Calls that policy refused; they are not among `calls`. */
  readonly refused: number;
  /** Time of the newest of all these calls, in milliseconds since the Unix epoch; 0 where no call has a time. */
  readonly lastMs: number;
}

export interface Usage {
  /** Most calls first, refused ones included; equal ones by name. */
  readonly rows: readonly NamedUsage[];
  /** Whether these are all. */
  readonly isComplete: boolean;
}

export interface UsageCounter {
  /** A record of something else than a call counts for nothing. */
  add(record: Pick<AuditRecord, UsageField | 'event_type' | 'status'>, epochMs: number): void;
  usage(most: number): Usage;
}

/** Records of calls that were let in. */
export const callEventTypes = ['tool_call', 'resource_read', 'prompt_get'] as const satisfies AuditEventType[];
/** Records of calls that policy refused. */
export const refusalEventType = 'policy_violation' satisfies AuditEventType;
/** Status of records of calls that failed. */
export const failedStatus = 'failed' satisfies AuditStatus;

/** Counts calls, failures and refusals of each capability or actor, with the time of the last call. */
export function createUsage(by: UsageField): UsageCounter {
  const byName = new Map<string, { calls: number; failed: number; refused: number; lastMs: number }>();
  return {
    add({ capability_id, actor_id = '', event_type: type, status }, epochMs) {
      const isCall = callEventTypes.some((each) => each === type);
      if (capability_id === undefined || !(isCall || type === refusalEventType)) return;
      const name = by === 'actor_id' ? actor_id : capability_id;
      const counts = byName.get(name) ?? { calls: 0, failed: 0, refused: 0, lastMs: 0 };
      if (isCall) counts.calls += 1;
      if (isCall && status === failedStatus) counts.failed += 1;
      if (!isCall) counts.refused += 1;
      if (epochMs > counts.lastMs) counts.lastMs = epochMs;
      byName.set(name, counts);
    },
    usage: (most) =>
      toUsage(
        [...byName].map(([name, counts]) => ({ name, ...counts })),
        most,
      ),
  };
}

/** The `most` names with the most calls, most first, and whether these are all. */
export function toUsage(all: readonly NamedUsage[], most: number): Usage {
  const sorted = [...all].sort((a, b) => b.calls + b.refused - a.calls - a.refused || (a.name < b.name ? -1 : 1));
  return { rows: sorted.slice(0, most), isComplete: sorted.length <= most };
}
