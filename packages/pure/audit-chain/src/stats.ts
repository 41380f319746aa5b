// Counts over records, one pass, in memory that grows with the number of capabilities and not with that of records.
import { type AuditChannel, auditChannels } from '@portico/contracts';
import { type AuditEventType, type AuditRecord, type AuditStatus, auditEventTypes } from './record.js';

export interface AuditStats {
  readonly total_events: number;
  readonly by_status: Readonly<Record<AuditStatus, number>>;
  /** Only the types that occur. */
  readonly by_event_type: Readonly<Partial<Record<AuditEventType, number>>>;
  /** The 20 that occur most; equal ones by id. */
  readonly by_capability: readonly { readonly capability_id: string; readonly count: number }[];
  /** Names of clients, the 20 that occur most; equal ones by name. */
  readonly by_client: readonly { readonly client: string; readonly count: number }[];
  /** Only the channels that occur. */
  readonly by_channel: Readonly<Partial<Record<AuditChannel, number>>>;
  /** The last 24 hours of the clock in UTC, oldest first; the last one is under way. `hour` is its start, RFC 3339. */
  readonly by_hour: readonly { readonly hour: string; readonly count: number }[];
}

/** Counts of some records, as an index has them. */
export interface RecordCounts {
  readonly total: number;
  readonly byStatus: Iterable<readonly [AuditStatus, number]>;
  readonly byEventType: Iterable<readonly [AuditEventType, number]>;
  /** Counts of the records that have one. */
  readonly byCapability: Iterable<readonly [string, number]>;
  /** Counts of the records that have one. */
  readonly byClient: Iterable<readonly [string, number]>;
  /** Counts of the records that have one. */
  readonly byChannel: Iterable<readonly [AuditChannel, number]>;
  /** By hours since the Unix epoch, as `toHour` gives them; hours that are out of the statistics may be left out. */
  readonly byHour: Iterable<readonly [number, number]>;
}

export interface StatsCounter {
  add(record: AuditRecord): void;
  addCounts(counts: RecordCounts): void;
  stats(): AuditStats;
}

/** Capabilities and clients that are listed. */
const mostListed = 20;
const hours = 24;
const hourMs = 3_600_000;

/** `nowMs`: milliseconds since the Unix epoch. Records of other hours than the last 24 count in everything else. */
export function createStats(nowMs: number): StatsCounter {
  const byStatus = { success: 0, failed: 0, denied: 0, intercepted: 0, cancelled: 0 };
  const byEventType = new Map<AuditEventType, number>();
  const byCapability = new Map<string, number>();
  const byClient = new Map<string, number>();
  const byChannel = new Map<AuditChannel, number>();
  const byHour = Array.from({ length: hours }, () => 0);
  const firstHour = toHour(nowMs) - (hours - 1);
  let total = 0;

  const countHour = (hour: number, count: number) => {
    const before = byHour[hour - firstHour];
    if (before !== undefined) byHour[hour - firstHour] = before + count;
  };

  return {
    add({ status, event_type, capability_id, client, channel, timestamp }) {
      total += 1;
      byStatus[status] += 1;
      add(byEventType, event_type, 1);
      if (capability_id !== undefined) add(byCapability, capability_id, 1);
      if (client !== undefined) add(byClient, client.name, 1);
      if (channel !== undefined) add(byChannel, channel, 1);
      countHour(toHour(Date.parse(timestamp)), 1);
    },
    addCounts(counts) {
      total += counts.total;
      for (const [status, count] of counts.byStatus) byStatus[status] += count;
      for (const [type, count] of counts.byEventType) add(byEventType, type, count);
      for (const [id, count] of counts.byCapability) add(byCapability, id, count);
      for (const [name, count] of counts.byClient) add(byClient, name, count);
      for (const [channel, count] of counts.byChannel) add(byChannel, channel, count);
      for (const [hour, count] of counts.byHour) countHour(hour, count);
    },
    stats: () => ({
      total_events: total,
      by_status: { ...byStatus },
      by_event_type: Object.fromEntries(
        auditEventTypes.filter((type) => byEventType.has(type)).map((type) => [type, byEventType.get(type)]),
      ),
      by_capability: mostFrequent(byCapability).map(([capability_id, count]) => ({ capability_id, count })),
      by_client: mostFrequent(byClient).map(([client, count]) => ({ client, count })),
      by_channel: Object.fromEntries(
        auditChannels.filter((each) => byChannel.has(each)).map((each) => [each, byChannel.get(each)]),
      ),
      by_hour: byHour.map((count, i) => ({ hour: new Date((firstHour + i) * hourMs).toISOString(), count })),
    }),
  };
}

/** Hours since the Unix epoch. */
export function toHour(epochMs: number): number {
  return Math.floor(epochMs / hourMs);
}

function add<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function mostFrequent(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, mostListed);
}
