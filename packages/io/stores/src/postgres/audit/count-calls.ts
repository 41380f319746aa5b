// Counts of records over time and by capability, from the columns where those decide the filter, else from the records.
import {
  type AuditFilter,
  type AuditRecord,
  callEventTypes,
  createSeries,
  createUsage,
  failedStatus,
  refusalEventType,
  type SeriesPoint,
  type SeriesSpan,
  toUsage,
  type Usage,
  type UsageField,
} from '@portico/audit-chain';
import { type Kysely, sql } from 'kysely';
import { asksForText } from '../../audit/text-test.js';
import type { Tables } from '../../tables.js';
import { isShortened } from './record-row.js';
import { asksForId, conditionsOf, type ToRecord } from './record-rows.js';

export interface CountDeps {
  readonly reads: Kysely<Tables>;
  readonly toRecord: ToRecord;
  /** The matching records, with the lengths of their lines. */
  search(filter: AuditFilter): AsyncIterable<readonly [AuditRecord, number]>;
}

export async function countSeries(
  { reads, search }: CountDeps,
  filter: AuditFilter,
  span: SeriesSpan,
): Promise<readonly SeriesPoint[]> {
  const counter = createSeries(span);
  if (asksForText(filter) || asksForId(filter)) {
    for await (const [{ timestamp, status }] of search(filter)) counter.add(Date.parse(timestamp), status);
    return counter.points();
  }
  const rows = await reads
    .selectFrom('audit_records')
    .select('status')
    .select(sql<number>`(at_ms - ${sql.lit(span.startMs)}) / ${sql.lit(span.stepMs)}`.as('slot'))
    .select((eb) => eb.fn.countAll<number>().as('records'))
    .where(conditionsOf({ ...filter, start_ms: Math.max(span.startMs, filter.start_ms ?? span.startMs) }))
    .groupBy(['status', 'slot'])
    .execute();
  for (const { slot, status, records } of rows) counter.add(span.startMs + slot * span.stepMs, status, records);
  return counter.points();
}

const calls = sql.raw(callEventTypes.map((type) => `'${type}'`).join(', '));

export async function countUsage(
  { reads, toRecord, search }: CountDeps,
  filter: AuditFilter,
  most: number,
  by: UsageField,
): Promise<Usage> {
  if (asksForText(filter) || asksForId(filter)) {
    const counter = createUsage(by);
    for await (const [record] of search(filter)) counter.add(record, Date.parse(record.timestamp));
    return counter.usage(most);
  }
  const rows = await reads
    .selectFrom('audit_records')
    .select([
      `${by} as name`,
      sql<number>`count(*) filter (where event_type in (${calls}))`.as('calls'),
      sql<number>`count(*) filter (where event_type in (${calls}) and status = ${sql.lit(failedStatus)})`.as('failed'),
      sql<number>`count(*) filter (where event_type = ${sql.lit(refusalEventType)})`.as('refused'),
      sql<number>`coalesce(max(at_ms), 0)`.as('lastMs'),
    ])
    .where(conditionsOf(filter))
    .where('capability_id', 'is not', null)
    .where('event_type', 'in', [...callEventTypes, refusalEventType])
    .groupBy(by)
    .orderBy(sql`count(*)`, 'desc')
    .orderBy(sql`${sql.ref(by)} collate "C"`)
    .limit(most + 1)
    .execute();
  const named = await Promise.all(
    rows.map(async (row) => ({ ...row, name: await wholeNameOf(reads, toRecord, row.name ?? '', by) })),
  );
  return toUsage(named, most);
}

/** The full name from a record, if it is too long for a column; if no such record is left, the text of the column. */
export async function wholeNameOf(
  reads: Kysely<Tables>,
  toRecord: ToRecord,
  name: string,
  field: UsageField = 'capability_id',
): Promise<string> {
  if (!isShortened(name)) return name;
  const row = await reads
    .selectFrom('audit_records')
    .select(['chain_id', 'seq', 'line'])
    .where(field, '=', name)
    .limit(1)
    .executeTakeFirst();
  return (row && toRecord(row)?.[field]) ?? name;
}
