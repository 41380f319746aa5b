// How often each capability was called, in memory that grows with the number of capabilities and not with that of records.
import type { AuditEventType, AuditRecord, AuditStatus } from './record.js';

export interface CapabilityUsage {
  readonly capability_id: string;
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
  /** Most calls first, refused ones included; equal ones by id. */
  readonly capabilities: readonly CapabilityUsage[];
  /** Whether these are all. */
  readonly isComplete: boolean;
}

export interface UsageCounter {
  /** A record of something else than a call counts for nothing. */
  add(record: Pick<AuditRecord, 'capability_id' | 'event_type' | 'status'>, epochMs: number): void;
  usage(most: number): Usage;
}

/** Records of calls that were let in. */
export const callEventTypes = ['tool_call', 'resource_read', 'prompt_get'] as const satisfies AuditEventType[];
/** Records of calls that policy refused. */
export const refusalEventType = 'policy_violation' satisfies AuditEventType;
/** Status of records of calls that failed. */
export const failedStatus = 'failed' satisfies AuditStatus;

/** Counts calls, failures and refusals of each capability, with the time of its last call. */
export function createUsage(): UsageCounter {
  const byId = new Map<string, { calls: number; failed: number; refused: number; lastMs: number }>();
  return {
    add({ capability_id: id, event_type: type, status }, epochMs) {
      const isCall = callEventTypes.some((each) => each === type);
      if (id === undefined || !(isCall || type === refusalEventType)) return;
      const counts = byId.get(id) ?? { calls: 0, failed: 0, refused: 0, lastMs: 0 };
      if (isCall) counts.calls += 1;
      if (isCall && status === failedStatus) counts.failed += 1;
      if (!isCall) counts.refused += 1;
      if (epochMs > counts.lastMs) counts.lastMs = epochMs;
      byId.set(id, counts);
    },
    usage: (most) =>
      toUsage(
        [...byId].map(([capability_id, counts]) => ({ capability_id, ...counts })),
        most,
      ),
  };
}

/** The `most` capabilities with the most calls, most first, and whether these are all. */
export function toUsage(all: readonly CapabilityUsage[], most: number): Usage {
  const sorted = [...all].sort(
    (a, b) => b.calls + b.refused - a.calls - a.refused || (a.capability_id < b.capability_id ? -1 : 1),
  );
  return { capabilities: sorted.slice(0, most), isComplete: sorted.length <= most };
}
