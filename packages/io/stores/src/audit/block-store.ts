// The blocks of one log in the state database. They are read in small groups: SQLite blocks the event loop during a
// read.
import { parseJson } from '@portico/contracts';
import type { StateDatabase } from '../database.js';
import type { AuditBlockRow } from '../tables.js';
import { type Block, decodeColumns, encodeColumns } from './block.js';
import { createBlockIds } from './block-ids.js';

export interface TimeBounds {
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
}

export interface BlockStore {
  save(block: Block): Promise<void>;
  /** The block with the highest positions; undefined too where it was written in another format, or ids of blocks are missing. */
  last(): Promise<Block | undefined>;
  /** Records in all blocks. */
  countRecords(): Promise<number>;
  /** Blocks that begin before a position, highest first, as many as are asked for; none if there are none. */
  before(seq: number, bounds: TimeBounds, count: number): Promise<readonly Block[]>;
  /** As `before`, of the blocks that may hold all of some ids, which are given by number. Their filters are read some at a time. */
  holding(seq: number, bounds: TimeBounds, ids: readonly number[]): AsyncGenerator<Block>;
  /** Blocks that reach a position or follow it, lowest first; none if there are none. */
  from(seq: number, bounds: TimeBounds, count: number): Promise<readonly Block[]>;
  clear(): Promise<void>;
  /** Removes the blocks that end at a place of the log or before it. Returns the number of records in them. */
  dropUpTo(end: number): Promise<number>;
}

/**
 * Format of `columns`, including the names that they refer to: those of audit-chain, where new ones may only be
 * appended.
 */
const format = 2;
/** Blocks that are deleted together. */
const atATime = 64;

export function createBlockStore({ reads, write }: StateDatabase, log: string): BlockStore {
  const blockIds = createBlockIds(reads, log);
  const select = ({ startMs, endMs }: TimeBounds, count: number) => {
    const ofLog = reads.selectFrom('audit_blocks').selectAll().where('log', '=', log).limit(count);
    const notOlder = startMs === undefined ? ofLog : ofLog.where('max_ms', '>=', startMs);
    return endMs === undefined ? notOlder : notOlder.where('min_ms', '<=', endMs);
  };

  /** The first position of the block that may hold a position. */
  const startOf = async (seq: number): Promise<number> => {
    const row = await reads
      .selectFrom('audit_blocks')
      .select('first_seq')
      .where('log', '=', log)
      .where('first_seq', '<=', seq)
      .orderBy('first_seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.first_seq ?? seq;
  };

  const deleteUpTo = async (end: number): Promise<number> => {
    let records = 0;
    for (let blocks = 1; blocks > 0; ) {
      const deleted = await write((trx) => deleteSome(trx, log, end));
      blockIds.forget(deleted.firstSeqs);
      blocks = deleted.firstSeqs.length;
      records += deleted.records;
    }
    return records;
  };

  return {
    save: (block) =>
      write(
        async (trx) => {
          const row = toRow(log, block);
          await trx
            .insertInto('audit_blocks')
            .values(row)
            .onConflict((conflict) => conflict.columns(['log', 'first_seq']).doUpdateSet(row))
            .execute();
          await blockIds.save(trx, block);
        },
        { isLazy: true },
      ),
    async last() {
      const row = await select({}, 1).orderBy('first_seq', 'desc').executeTakeFirst();
      return row?.format === format && (await blockIds.areWhole()) ? toBlock(row) : undefined;
    },
    async countRecords() {
      const row = await reads
        .selectFrom('audit_blocks')
        .select((eb) => eb.fn.sum('count').as('records'))
        .where('log', '=', log)
        .executeTakeFirst();
      return Number(row?.records ?? 0);
    },
    async before(seq, bounds, count) {
      return (await select(bounds, count).where('first_seq', '<', seq).orderBy('first_seq', 'desc').execute()).map(
        toBlock,
      );
    },
    async *holding(seq, bounds, ids) {
      for await (const firstSeq of blockIds.mayHold(seq, ids)) {
        const row = await select(bounds, 1).where('first_seq', '=', firstSeq).executeTakeFirst();
        if (row !== undefined) yield toBlock(row);
      }
    },
    async from(seq, bounds, count) {
      const first = await startOf(seq);
      const rows = await select(bounds, count + 1)
        .where('first_seq', '>=', first)
        .orderBy('first_seq')
        .execute();
      return rows.map(toBlock).filter((block) => block.firstSeq + block.count > seq); // at most the first goes
    },
    async clear() {
      await deleteUpTo(Number.MAX_SAFE_INTEGER);
    },
    dropUpTo: deleteUpTo,
  };
}

/** @param end of the blocks that go, or before it */
async function deleteSome(trx: StateDatabase['reads'], log: string, end: number) {
  const rows = await trx
    .selectFrom('audit_blocks')
    .select(['first_seq', 'count'])
    .where('log', '=', log)
    .where('end_offset', '<=', end)
    .limit(atATime)
    .execute();
  const firstSeqs = rows.map((row) => row.first_seq);
  if (rows.length > 0) {
    for (const table of ['audit_blocks', 'audit_block_ids'] as const) {
      await trx.deleteFrom(table).where('log', '=', log).where('first_seq', 'in', firstSeqs).execute();
    }
  }
  return { firstSeqs, records: rows.reduce((sum, { count }) => sum + count, 0) };
}

function toRow(log: string, block: Block): AuditBlockRow {
  return {
    log,
    first_seq: block.firstSeq,
    format,
    count: block.count,
    start_offset: block.start,
    end_offset: block.end,
    hash: block.hash,
    min_ms: block.minMs,
    max_ms: block.maxMs,
    terms: JSON.stringify(block.terms),
    columns: encodeColumns(block),
  };
}

function toBlock(row: AuditBlockRow): Block {
  return {
    firstSeq: row.first_seq,
    count: row.count,
    start: row.start_offset,
    end: row.end_offset,
    hash: row.hash,
    minMs: row.min_ms,
    maxMs: row.max_ms,
    terms: parseJson(row.terms),
    columns: decodeColumns(row.columns, row.count),
  };
}
