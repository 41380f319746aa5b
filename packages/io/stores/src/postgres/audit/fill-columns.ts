// Fills the columns of migration 017 in rows that an earlier version has written, while the daemon serves: a few rows in
// each transaction. Until a row is filled, lookups read its line.
import { setTimeout } from 'node:timers/promises';
import { parseRecord } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import { sql, type Transaction } from 'kysely';
import type { StateDatabase } from '../../database.js';
import { messageOf } from '../../files.js';
import type { Tables } from '../../tables.js';
import { StorageError } from '../storage-error.js';
import { columnsOf } from './record-row.js';
import { type PlacedLine, withinBytes } from './record-rows.js';

/** The size of one transaction: its lines are parsed between two turns of the event loop. */
const portion = { rows: 200, bytes: 1024 * 1024 };
const betweenPortionsMs = 20;
const betweenTriesMs = 1000;
/** Beside the lock of migrations. Several daemons take turns, so that no two update the same rows. */
const lock = sql`pg_try_advisory_xact_lock(${sql.lit(0x706f7274)}, 1)`;

export interface FillOptions {
  readonly database: Pick<StateDatabase, 'write'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Ends when no row is left that can be filled, or with the signal. It never rejects: what fails is logged, and the next
 * start goes on.
 */
export async function fillColumns({ database, log, signal }: FillOptions): Promise<void> {
  let after: PlacedLine | undefined;
  let filled = 0;
  while (!signal.aborted) {
    let pauseMs = betweenPortionsMs;
    try {
      const rows = await database.write((trx) => fillPortion(trx, after));
      if (rows?.length === 0) break;
      after = rows?.at(-1) ?? after;
      filled += rows?.length ?? 0;
    } catch (error) {
      if (!(error instanceof StorageError)) {
        const reason = messageOf(error);
        log('warn', 'ids of earlier audit records are not filled in; they are found more slowly', { reason });
        return;
      }
      pauseMs = betweenTriesMs; // the database is away
    }
    await setTimeout(pauseMs, undefined, { signal, ref: false }).catch(() => {});
  }
  if (filled > 0) log('info', 'ids of earlier audit records have been filled in', { records: filled });
}

/** Gives the rows that were looked at; undefined while another daemon is at it. */
async function fillPortion(
  trx: Transaction<Tables>,
  after: PlacedLine | undefined,
): Promise<readonly PlacedLine[] | undefined> {
  const { rows: locks } = await sql<{ taken: boolean }>`select ${lock} as taken`.execute(trx);
  if (locks[0]?.taken !== true) return undefined;
  const rows = await readUnfilled(trx, after);
  if (after === undefined && rows.length > 0) await countNulls(trx);
  const values = rows.flatMap((row) => valuesOf(row) ?? []);
  if (values.length === 0) return rows;
  await sql`update audit_records set request_id = read.request_id, approval_id = read.approval_id,
      idempotency_key = read.idempotency_key, client = read.client, channel = read.channel
    from (values ${sql.join(values)}) as read (chain_id, seq, request_id, approval_id, idempotency_key, client, channel)
    where audit_records.chain_id = read.chain_id and audit_records.seq = read.seq`.execute(trx);
  return rows;
}

/**
 * Without statistics of the new column the server takes nulls for few, and sorts all of them for each portion. A user who
 * does not own the table gets a warning for it and no error.
 */
async function countNulls(trx: Transaction<Tables>): Promise<void> {
  await sql`analyze audit_records (request_id)`.execute(trx);
}

/** In the order of the index by request id: no portion reads more than its rows. */
function readUnfilled(trx: Transaction<Tables>, after: PlacedLine | undefined): Promise<readonly PlacedLine[]> {
  const wanted = trx
    .selectFrom('audit_records')
    .select(['order_ms', 'chain_id', 'seq', 'line'])
    .where('request_id', 'is', null)
    .$if(after !== undefined, (query) =>
      query
        .where('order_ms', '>=', after?.order_ms ?? 0)
        .where(sql<boolean>`(order_ms, chain_id, seq) > (${after?.order_ms}, ${after?.chain_id}, ${after?.seq})`),
    )
    .orderBy('request_id')
    .orderBy('order_ms')
    .orderBy('chain_id')
    .orderBy('seq')
    .limit(portion.rows);
  return withinBytes(trx, wanted, 'asc', portion.bytes);
}

/** As a new row has them; undefined of a line that is no record any more. */
function valuesOf({ chain_id, seq, line }: PlacedLine) {
  const record = parseRecord(line);
  if (record === undefined) return undefined;
  const { request_id, approval_id, idempotency_key, client, channel } = columnsOf(record, 0);
  const texts = [request_id, approval_id, idempotency_key, client, channel].map((text) => sql`${text}::text`);
  return sql`(${chain_id}::text, ${seq}::bigint, ${sql.join(texts)})`;
}
