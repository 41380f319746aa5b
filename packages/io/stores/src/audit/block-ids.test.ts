// Filters of the ids of blocks: in memory up to a number, and read from the database beyond it.
import { afterEach, describe, expect, it } from 'vitest';
import type { StateDatabase } from '../database.js';
import { createTempDirectories } from '../testing/temp-directory.js';
import { createBlockBuilder, idNumber } from './block.js';
import { type BlockIds, createBlockIds } from './block-ids.js';
import { chainOf, draftsOf } from './testing/chain.js';

const temp = createTempDirectories();

afterEach(() => temp.removeAll());

const { records } = chainOf(draftsOf(40));

/** A block of ten records. */
function blockOf(firstSeq: number) {
  const builder = createBlockBuilder(firstSeq, 0);
  for (const record of records.slice(firstSeq - 1, firstSeq + 9)) builder.add(record, record.seq);
  return builder.block();
}

const save = ({ write }: StateDatabase, ids: BlockIds, firstSeq: number) =>
  write((trx) => ids.save(trx, blockOf(firstSeq)));

const found = async (ids: BlockIds, traceId: string, before = 1000) => {
  const blocks: number[] = [];
  for await (const firstSeq of ids.mayHold(before, [idNumber(traceId)])) blocks.push(firstSeq);
  return blocks;
};

describe.each([2, 100])('filters of blocks, of which %i are kept in memory', (maxKept) => {
  it('are found as they are saved and forgotten, by lookups that come at once too', async () => {
    const database = await temp.openDatabase();
    const ids = createBlockIds(database.reads, 'log', maxKept);
    await save(database, ids, 1);
    const [one, none] = await Promise.all([found(ids, 'trace-3'), found(ids, 'trace-13')]);
    expect([one, none]).toEqual([[1], []]);
    for (const firstSeq of [11, 21, 31]) await save(database, ids, firstSeq);
    expect(await found(ids, 'trace-13')).toEqual([11]);
    expect(await found(ids, 'trace-13', 11)).toEqual([]);
    expect(await found(ids, 'trace-33')).toEqual([31]);
    await database.write((trx) => trx.deleteFrom('audit_block_ids').where('first_seq', '=', 11).execute());
    ids.forget([11]);
    expect(await found(ids, 'trace-13')).toEqual([]);
    expect(await found(ids, 'trace-3')).toEqual([1]);
  });
});

it('filters are of one log', async () => {
  const database = await temp.openDatabase();
  await save(database, createBlockIds(database.reads, 'log'), 1);
  expect(await found(createBlockIds(database.reads, 'another'), 'trace-3')).toEqual([]);
});
