// The records of a block that may match a filter, and their number by kind, from the columns alone.
import { type AuditFilter, auditEventTypes, auditStatuses, type RecordCounts, toHour } from '@portico/audit-chain';
import { auditChannels } from '@portico/contracts';
import { type Block, channelNumber, idNumber } from './block.js';

/** Whether candidates have to be held against their records: the columns do not decide such a filter. */
export function needsRecords(filter: AuditFilter): boolean {
  return (
    idsOf(filter).length > 0 || [filter.q, filter.shadow, filter.rule].some((condition) => condition !== undefined)
  );
}

/** Numbers of the ids that a filter asks for. */
export function idsOf(filter: AuditFilter): readonly number[] {
  const { trace_id, request_id, approval_id, idempotency_key, request_or_approval } = filter;
  return [trace_id, request_id, approval_id, idempotency_key, request_or_approval]
    .filter((id) => id !== undefined)
    .map(idNumber);
}

export function isEmptyFilter(filter: AuditFilter): boolean {
  return Object.values(filter).every((condition) => condition === undefined);
}

/** The wanted value is in one of the columns. */
type Test = readonly [column: ArrayLike<number>, wanted: number, other?: ArrayLike<number>];

function isPassed([column, wanted, other]: Test, i: number): boolean {
  return column[i] === wanted || other?.[i] === wanted;
}

/** Positions in the block, ascending, of the records that the filter may mean; all of them unless needsRecords. */
export function candidatesIn(block: Block, filter: AuditFilter): readonly number[] {
  const { start_ms, end_ms } = filter;
  const isTimed = start_ms !== undefined || end_ms !== undefined;
  const from = start_ms ?? Number.NEGATIVE_INFINITY;
  const to = end_ms ?? Number.POSITIVE_INFINITY;
  if (isTimed && (block.maxMs < from || block.minMs > to)) return [];
  const tests = testsOf(block, filter);
  if (tests.some(([, wanted]) => wanted < 0)) return [];
  const { times, eventTypes } = block.columns;
  const types = filter.event_types?.map((type) => auditEventTypes.indexOf(type));
  const found: number[] = [];
  for (let i = 0; i < block.count; i++) {
    if (isTimed) {
      const time = times[i] ?? Number.NaN;
      if (!(time >= from && time <= to)) continue;
    }
    if (types !== undefined && !types.includes(eventTypes[i] ?? -1)) continue;
    if (tests.every((test) => isPassed(test, i))) found.push(i);
  }
  return found;
}

/** A wanted value below zero is one that the block does not have. */
function testsOf({ columns, terms }: Block, filter: AuditFilter): readonly Test[] {
  const termNumber = (term: string) => terms.indexOf(term) + 1 || -1;
  const tests: Test[] = [];
  const { actor_id, capability_id, server_id, event_type, status, client, channel } = filter;
  if (actor_id !== undefined) tests.push([columns.actors, termNumber(actor_id)]);
  if (capability_id !== undefined) tests.push([columns.capabilities, termNumber(capability_id)]);
  if (server_id !== undefined) tests.push([columns.servers, termNumber(server_id)]);
  if (client !== undefined) tests.push([columns.clients, termNumber(client)]);
  if (channel !== undefined) tests.push([columns.channels, channelNumber(channel)]);
  if (event_type !== undefined) tests.push([columns.eventTypes, auditEventTypes.indexOf(event_type)]);
  if (status !== undefined) tests.push([columns.statuses, auditStatuses.indexOf(status)]);
  return [...tests, ...idTestsOf(columns, filter)];
}

function idTestsOf({ traces, requests, approvals, keys }: Block['columns'], filter: AuditFilter): readonly Test[] {
  const { trace_id, request_id, approval_id, idempotency_key, request_or_approval } = filter;
  const tests: Test[] = [];
  if (trace_id !== undefined) tests.push([traces, idNumber(trace_id)]);
  if (request_id !== undefined) tests.push([requests, idNumber(request_id)]);
  if (approval_id !== undefined) tests.push([approvals, idNumber(approval_id)]);
  if (idempotency_key !== undefined) tests.push([keys, idNumber(idempotency_key)]);
  if (request_or_approval !== undefined) tests.push([requests, idNumber(request_or_approval), approvals]);
  return tests;
}

/** @param sinceMs hours before it are left out */
export function countsIn({ count, maxMs, terms, columns }: Block, sinceMs: number): RecordCounts {
  return {
    total: count,
    byStatus: countOf(columns.statuses, count, auditStatuses, 0),
    byEventType: countOf(columns.eventTypes, count, auditEventTypes, 0),
    byCapability: countOf(columns.capabilities, count, terms, 1),
    byClient: countOf(columns.clients, count, terms, 1),
    byChannel: countOf(columns.channels, count, auditChannels, 1),
    byHour: maxMs < sinceMs ? [] : hoursOf(columns.times.subarray(0, count), sinceMs),
  };
}

/** How often each name occurs. @param first the number of the first name */
function countOf<T>(
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
