// Counts over records, one pass, in memory that grows with the number of capabilities and not with that of records.
import { type AuditEventType, type AuditRecord, type AuditStatus, auditEventTypes } from './record.js';

export interface AuditStats {
  readonly total_events: number;
  readonly by_status: Readonly<Record<AuditStatus, number>>;
  /** Only the types that occur. */
  readonly by_event_type: Readonly<Partial<Record<AuditEventType, number>>>;
  /** The 20 that occur most; equal ones by id. */
  readonly by_capability: readonly { readonly capability_id: string; readonly count: number }[];
  /** The last 24 hours of the clock in UTC, oldest first; the last one is under way. `hour` is its start, RFC 3339. */
  readonly by_hour: readonly { readonly hour: string; readonly count: number }[];
}

export interface StatsCounter {
  add(record: AuditRecord): void;
  stats(): AuditStats;
}

const topCapabilities = 20;
const hours = 24;
const hourMs = 3_600_000;

/** `nowMs`: milliseconds since the Unix epoch. Records of other hours than the last 24 count in everything else. */
export function createStats(nowMs: number): StatsCounter {
  const byStatus = { success: 0, failed: 0, denied: 0, intercepted: 0, cancelled: 0 };
  const byEventType = new Map<AuditEventType, number>();
  const byCapability = new Map<string, number>();
  const byHour = Array.from({ length: hours }, () => 0);
  const firstHour = Math.floor(nowMs / hourMs) - (hours - 1);
  let total = 0;

  return {
    add({ status, event_type, capability_id, timestamp }) {
      total += 1;
      byStatus[status] += 1;
      count(byEventType, event_type);
      if (capability_id !== undefined) count(byCapability, capability_id);
      const hour = Math.floor(Date.parse(timestamp) / hourMs) - firstHour;
      const before = byHour[hour];
      if (before !== undefined) byHour[hour] = before + 1;
    },
    stats: () => ({
      total_events: total,
      by_status: { ...byStatus },
      by_event_type: Object.fromEntries(
        auditEventTypes.filter((type) => byEventType.has(type)).map((type) => [type, byEventType.get(type)]),
      ),
      by_capability: mostFrequent(byCapability),
      by_hour: byHour.map((count, i) => ({ hour: new Date((firstHour + i) * hourMs).toISOString(), count })),
    }),
  };
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function mostFrequent(counts: ReadonlyMap<string, number>): AuditStats['by_capability'] {
  return [...counts]
    .map(([capability_id, count]) => ({ capability_id, count }))
    .sort((a, b) => b.count - a.count || (a.capability_id < b.capability_id ? -1 : 1))
    .slice(0, topCapabilities);
}
