// Which records of a block a filter may mean, and how many there are of each kind, from its columns alone.
import { type AuditFilter, auditEventTypes, auditStatuses, type RecordCounts, toHour } from '@portico/audit-chain';
import { type Block, traceNumber } from './block.js';
import { asksForText } from './text-test.js';

/** Whether candidates have to be held against their records: the columns do not decide such a filter. */
export function needsRecords(filter: AuditFilter): boolean {
  return filter.trace_id !== undefined || asksForText(filter);
}

export function isEmptyFilter(filter: AuditFilter): boolean {
  return Object.values(filter).every((condition) => condition === undefined);
}

type Test = readonly [column: ArrayLike<number>, wanted: number];

/** Positions in the block, ascending, of the records that the filter may mean; all of them unless needsRecords. */
export function candidatesIn(block: Block, filter: AuditFilter): readonly number[] {
  const { start_ms, end_ms } = filter;
  const isTimed = start_ms !== undefined || end_ms !== undefined;
  const from = start_ms ?? Number.NEGATIVE_INFINITY;
  const to = end_ms ?? Number.POSITIVE_INFINITY;
  if (isTimed && (block.maxMs < from || block.minMs > to)) return [];
  const tests = testsOf(block, filter);
  if (tests.some(([, wanted]) => wanted < 0)) return [];
  const { times } = block.columns;
  const found: number[] = [];
  for (let i = 0; i < block.count; i++) {
    if (isTimed) {
      const time = times[i] ?? Number.NaN;
      if (!(time >= from && time <= to)) continue;
    }
    if (tests.every(([column, wanted]) => column[i] === wanted)) found.push(i);
  }
  return found;
}

/** A wanted value below zero is one that the block does not have. */
function testsOf({ columns, terms }: Block, filter: AuditFilter): readonly Test[] {
  const termNumber = (term: string) => terms.indexOf(term) + 1 || -1;
  const tests: Test[] = [];
  const { actor_id, capability_id, server_id, event_type, status, trace_id } = filter;
  if (actor_id !== undefined) tests.push([columns.actors, termNumber(actor_id)]);
  if (capability_id !== undefined) tests.push([columns.capabilities, termNumber(capability_id)]);
  if (server_id !== undefined) tests.push([columns.servers, termNumber(server_id)]);
  if (event_type !== undefined) tests.push([columns.eventTypes, auditEventTypes.indexOf(event_type)]);
  if (status !== undefined) tests.push([columns.statuses, auditStatuses.indexOf(status)]);
  if (trace_id !== undefined) tests.push([columns.traces, traceNumber(trace_id)]);
  return tests;
}

/** @param sinceMs hours before it are left out */
export function countsIn({ count, maxMs, terms, columns }: Block, sinceMs: number): RecordCounts {
  return {
    total: count,
    byStatus: tallyOf(columns.statuses, count, auditStatuses, 0),
    byEventType: tallyOf(columns.eventTypes, count, auditEventTypes, 0),
    byCapability: tallyOf(columns.capabilities, count, terms, 1),
    byHour: maxMs < sinceMs ? [] : hoursOf(columns.times.subarray(0, count), sinceMs),
  };
}

/** How often each name occurs. @param first the number of the first name */
function tallyOf<T>(
  column: ArrayLike<number>,
  count: number,
  names: readonly T[],
  first: number,
): readonly (readonly [T, number])[] {
  const counts = new Uint32Array(names.length + first);
  for (let i = 0; i < count; i++) {
    const number = column[i] ?? 0;
    counts[number] = (counts[number] ?? 0) + 1;
  }
  return names.map((name, i) => [name, counts[i + first] ?? 0] as const).filter(([, occurrences]) => occurrences > 0);
}

function hoursOf(times: Float64Array, sinceMs: number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const time of times) {
    if (time >= sinceMs) counts.set(toHour(time), (counts.get(toHour(time)) ?? 0) + 1);
  }
  return counts;
}
