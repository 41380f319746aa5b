// Finds the blocks of a log that may hold an id: a filter for each block, in a table of their own, since SQLite would
// read the columns of a block to reach a value behind them. The first lookup loads them into memory, unless there are
// too many.
import { setImmediate } from 'node:timers/promises';
import type { StateDatabase } from '../database.js';
import { type Block, idsIn } from './block.js';
import { createIdFilter, mayHoldId } from './id-filter.js';

type Reads = StateDatabase['reads'];

export interface BlockIds {
  /** In the transaction that saves the block. */
  save(trx: Reads, block: Block): Promise<void>;
  /** Drops the filters of blocks that were removed. */
  forget(firstSeqs: readonly number[]): void;
  /** Whether each block has its filter. */
  areWhole(): Promise<boolean>;
  /** First positions of the blocks that may hold all of some ids, of those that begin before a position, highest first. */
  mayHold(before: number, ids: readonly number[]): AsyncGenerator<number>;
}

interface Filter {
  readonly first_seq: number;
  readonly id_filter: Uint8Array;
}

/** Filters that are read together, of some 3 kB each: SQLite blocks the event loop during a read. */
const atATime = 256;
/** Filters of four million records, some 12 MB. Longer logs read theirs for each lookup. */
const defaultMaxKept = 4096;

/** @param maxKept filters that are kept in memory at most */
export function createBlockIds(reads: Reads, log: string, maxKept = defaultMaxKept): BlockIds {
  /** From the first lookup on. No other process changes the filters of this log. */
  let kept: Map<number, Uint8Array> | undefined;
  let loading: Promise<void> | undefined;

  const rowsOf = async (table: 'audit_blocks' | 'audit_block_ids') => {
    const count = reads.selectFrom(table).select((eb) => eb.fn.countAll().as('rows'));
    return Number((await count.where('log', '=', log).executeTakeFirst())?.rows);
  };

  /** All that are kept in the database, highest first. */
  async function* readFilters(): AsyncGenerator<Filter> {
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const filters: readonly Filter[] = await reads
        .selectFrom('audit_block_ids')
        .select(['first_seq', 'id_filter'])
        .where('log', '=', log)
        .where('first_seq', '<', before)
        .orderBy('first_seq', 'desc')
        .limit(atATime)
        .execute();
      yield* filters;
      const last = filters.at(-1);
      if (last === undefined || filters.length < atATime) return;
      before = last.first_seq;
      await setImmediate(); // others have their turn
    }
  }

  const load = async () => {
    if ((await rowsOf('audit_block_ids')) > maxKept) return;
    const filters = new Map<number, Uint8Array>();
    kept = filters; // what is saved or removed while it is being read changes it as well
    for await (const { first_seq, id_filter } of readFilters()) filters.set(first_seq, id_filter);
  };

  const loaded = async () => {
    loading ??= load().finally(() => {
      if (kept === undefined) loading = undefined;
    });
    try {
      await loading;
    } catch (error) {
      [kept, loading] = [undefined, undefined];
      throw error;
    }
    return kept;
  };

  return {
    async save(trx, block) {
      const row = { log, first_seq: block.firstSeq, id_filter: createIdFilter(idsIn(block)) };
      await trx
        .insertInto('audit_block_ids')
        .values(row)
        .onConflict((conflict) => conflict.columns(['log', 'first_seq']).doUpdateSet(row))
        .execute();
      kept?.set(row.first_seq, row.id_filter); // where the transaction fails there is no block to be found by it
      if (kept !== undefined && kept.size > maxKept) [kept, loading] = [undefined, undefined];
    },
    forget(firstSeqs) {
      for (const firstSeq of firstSeqs) kept?.delete(firstSeq);
    },
    areWhole: async () => (await rowsOf('audit_blocks')) === (await rowsOf('audit_block_ids')),
    async *mayHold(before, ids) {
      const mayBe = (filter: Uint8Array) => ids.every((id) => mayHoldId(filter, id));
      const filters = await loaded();
      if (filters === undefined) {
        for await (const { first_seq, id_filter } of readFilters())
          if (first_seq < before && mayBe(id_filter)) yield first_seq;
        return;
      }
      const found = [...filters].filter(([firstSeq, filter]) => firstSeq < before && mayBe(filter));
      yield* found.map(([firstSeq]) => firstSeq).sort((a, b) => b - a);
    },
  };
}
