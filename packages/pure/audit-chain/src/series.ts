// Counts of records over time, by outcome: intervals of one length without gaps.
import { type AuditStatus, auditStatuses } from './record.js';

export interface SeriesSpan {
  /** Start of the first interval, milliseconds since the Unix epoch. */
  readonly startMs: number;
  /** Length of an interval. */
  readonly stepMs: number;
  /** Intervals. */
  readonly count: number;
}

export interface SeriesPoint {
  /** Milliseconds since the Unix epoch. */
  readonly startMs: number;
  readonly byStatus: Readonly<Record<AuditStatus, number>>;
}

export interface SeriesCounter {
  /** Records of other times than the span's are left out. */
  add(epochMs: number, status: AuditStatus, records?: number): void;
  points(): readonly SeriesPoint[];
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Lengths that people read as one unit. */
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * secondMs),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minuteMs),
  ...[1, 2, 3, 6, 12].map((count) => count * hourMs),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * dayMs),
];

/**
 * Intervals that cover both times: of the shortest round length that needs no more of them than `most`, and of the
 * longest one there is for ranges beyond that. They begin at multiples of their length since the Unix epoch.
 */
export function toSpan(startMs: number, endMs: number, most: number): SeriesSpan {
  const countOf = (stepMs: number) => Math.floor(endMs / stepMs) - Math.floor(startMs / stepMs) + 1;
  const stepMs = steps.find((each) => countOf(each) <= most) ?? 365 * dayMs;
  return {
    startMs: Math.floor(startMs / stepMs) * stepMs,
    stepMs,
    count: Math.max(1, Math.min(most, countOf(stepMs))),
  };
}

/** Counts records by outcome in `count` steps of `stepMs` milliseconds from `startMs` on. Records outside are not counted. */
export function createSeries({ startMs, stepMs, count }: SeriesSpan): SeriesCounter {
  const columns = auditStatuses.map((status) => [status, new Float64Array(count)] as const);
  const byStatus = new Map<AuditStatus, Float64Array>(columns);
  return {
    add(epochMs, status, records = 1) {
      const at = Math.floor((epochMs - startMs) / stepMs);
      const column = byStatus.get(status);
      if (column !== undefined && at >= 0 && at < count) column[at] = (column[at] ?? 0) + records;
    },
    points: () =>
      Array.from({ length: count }, (_, at) => ({
        startMs: startMs + at * stepMs,
        byStatus: Object.fromEntries(columns.map(([status, column]) => [status, column[at] ?? 0])) as Record<
          AuditStatus, // of every status
          number
        >,
      })),
  };
}
