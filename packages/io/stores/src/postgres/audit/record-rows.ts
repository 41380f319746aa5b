// Reads records out of the database in the order that they are shown in: by time, and never against the order of a chain.
// No statement gives more than a portion, so that large records do not pile up in memory.
import { type AuditFilter, type AuditRecord, parseRecord } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { isPlain, piecesOf } from '../../audit/text-test.js';
import type { AuditRecordRow, Tables } from '../../tables.js';
import { toTerm } from './record-row.js';

export type PlacedLine = Pick<AuditRecordRow, 'order_ms' | 'chain_id' | 'seq' | 'line'>;

export interface RowsWanted {
  readonly filter: AuditFilter;
  readonly direction: 'asc' | 'desc';
  /** The row after which they begin. */
  readonly after?: PlacedLine | undefined;
  readonly limit: number;
  readonly offset?: number;
}

type IdField = (typeof idFields)[number];

/** Whether conditions leave it to the records which rows are meant. */
export function asksForId(filter: AuditFilter): boolean {
  return filter.request_or_approval !== undefined || idFields.some((field) => filter[field] !== undefined);
}

/** Columns that may be null though the record has a value. */
export function mayBeNull(name: string): boolean {
  return lineFields.includes(name);
}

/** Size of a portion, in bytes, before its last record. */
const maxBytes = 8 * 1024 * 1024;
const termFields = ['actor_id', 'capability_id', 'server_id', 'trace_id'] as const;
/** Null in rows whose line alone has the value: see fill-columns.ts. */
const idFields = ['request_id', 'approval_id', 'idempotency_key'] as const;
const lineFields: readonly string[] = [...idFields, 'client', 'channel'];

/** Rows that a filter may mean. Columns decide all conditions but `q`, `client`, `channel`, `shadow`, `rule` and ids, which are held against the records of these. */
export function conditionsOf(filter: AuditFilter) {
  return (eb: ExpressionBuilder<Tables, 'audit_records'>): Expression<SqlBool> => {
    const { event_type, event_types, status, start_ms, end_ms, q } = filter;
    const conditions: Expression<SqlBool>[] = [];
    for (const field of termFields) {
      const wanted = filter[field];
      if (wanted !== undefined) conditions.push(eb(field, '=', toTerm(wanted)));
    }
    const mayHave = (field: IdField, id: string) => eb.or([eb(field, '=', toTerm(id)), mayName(field, id)]);
    for (const field of idFields) {
      const wanted = filter[field];
      if (wanted !== undefined) conditions.push(mayHave(field, wanted));
    }
    const { request_or_approval: asked } = filter;
    if (asked !== undefined) conditions.push(eb.or([mayHave('request_id', asked), mayHave('approval_id', asked)]));
    if (event_type !== undefined) conditions.push(eb('event_type', '=', event_type));
    if (event_types !== undefined) conditions.push(eb('event_type', 'in', event_types));
    if (status !== undefined) conditions.push(eb('status', '=', status));
    // No record comes before its time in the order, which has the index.
    if (start_ms !== undefined) conditions.push(eb('at_ms', '>=', start_ms), eb('order_ms', '>=', start_ms));
    if (end_ms !== undefined) conditions.push(eb('at_ms', '<=', end_ms));
    if (q !== undefined && isPlain(q)) conditions.push(mayHold(q));
    for (const piece of piecesOf(filter)) conditions.push(sql<SqlBool>`strpos(line, ${piece}) > 0`);
    return eb.and(conditions);
  };
}

function mayName(field: IdField, id: string): Expression<SqlBool> {
  return sql<SqlBool>`(${sql.ref(field)} is null and strpos(line, ${`"${field}":${JSON.stringify(id)}`}) > 0)`;
}

/** As `textTestOf`. Databases and JavaScript agree on the lower case of ASCII only; lines with other characters stay. */
function mayHold(q: string): Expression<SqlBool> {
  return sql<SqlBool>`(octet_length(line) <> char_length(line) or strpos(lower(line collate "C"), ${q.toLowerCase()}) > 0)`;
}

/** The first rows of those that are wanted; fewer where they are large. */
export async function readRows(
  db: Kysely<Tables>,
  { filter, direction, after, limit, offset = 0 }: RowsWanted,
): Promise<readonly PlacedLine[]> {
  const order = ['order_ms', 'chain_id', 'seq'] as const;
  const wanted = db
    .selectFrom('audit_records')
    .select([...order, 'line'])
    .where(conditionsOf(filter))
    .$if(after !== undefined, (query) =>
      query.where(
        sql<SqlBool>`(order_ms, chain_id, seq) ${sql.raw(direction === 'asc' ? '>' : '<')} (${after?.order_ms}, ${after?.chain_id}, ${after?.seq})`,
      ),
    )
    .orderBy('order_ms', direction)
    .orderBy('chain_id', direction)
    .orderBy('seq', direction)
    .limit(limit)
    .offset(offset);
  return withinBytes(db, wanted, direction, maxBytes);
}

/** The first of these rows, up to the one that reaches the number of bytes. */
export function withinBytes(
  db: Kysely<Tables>,
  wanted: SelectQueryBuilder<Tables, 'audit_records', PlacedLine>,
  direction: RowsWanted['direction'],
  mostBytes: number,
): Promise<readonly PlacedLine[]> {
  const order = ['order_ms', 'chain_id', 'seq'] as const;
  const way = sql.raw(direction);
  const sized = db
    .selectFrom(wanted.as('wanted'))
    .select([...order, 'line'])
    .select(
      sql<number>`sum(octet_length(line)) over (order by order_ms ${way}, chain_id ${way}, seq ${way}) - octet_length(line)`.as(
        'bytes_before',
      ),
    );
  return db
    .selectFrom(sized.as('sized'))
    .select([...order, 'line'])
    .where('bytes_before', '<', mostBytes)
    .orderBy('order_ms', direction)
    .orderBy('chain_id', direction)
    .orderBy('seq', direction)
    .execute();
}

export interface ChainPortion {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** Rows of one chain after a position, oldest first; at least one where there is any. */
export async function readChain(
  db: Kysely<Tables>,
  chainId: string,
  after: number,
  { maxRecords, maxBytes: most }: ChainPortion,
): Promise<readonly AuditRecordRow[]> {
  const wanted = db
    .selectFrom('audit_records')
    .selectAll()
    .select(sql<number>`sum(octet_length(line)) over (order by seq)`.as('bytes'))
    .select(sql<number>`row_number() over (order by seq)`.as('number'))
    .where('chain_id', '=', chainId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(Math.max(1, maxRecords));
  const rows = await db
    .selectFrom(wanted.as('wanted'))
    .selectAll()
    .where((eb) => eb.or([eb('bytes', '<=', most), eb('number', '=', 1)]))
    .orderBy('seq')
    .execute();
  return rows.map(({ bytes: _, number: __, ...row }) => row);
}

export type ToRecord = (row: Pick<PlacedLine, 'chain_id' | 'seq' | 'line'>) => AuditRecord | undefined;

/** A row that is no longer a valid record is left out, and logged once. */
export function createToRecord(log: Log): ToRecord {
  let isReported = false;
  return ({ chain_id, seq, line }) => {
    const record = parseRecord(line);
    if (record === undefined && !isReported) {
      isReported = true;
      log('error', 'a record of the audit log is no longer what was written; verify it', { chain: chain_id, seq });
    }
    return record;
  };
}
