// The newest blocks of the index: one that grows, and full ones until they are saved. It reads no file.
import type { AuditRecord } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import { messageOf } from '../files.js';
import { type Block, type BlockBuilder, createBlockBuilder } from './block.js';
import type { BlockStore } from './block-store.js';

export interface GrowingBlocks {
  /** Starts over after the saved records. */
  start(lastSeq: number, total: number): void;
  /** False if the record is not the next one. One that comes too late, as a copy would, is left out. */
  add(record: AuditRecord, start: number, end: number): boolean;
  /** Gives up the oldest blocks, those that end at a place or before it, with the records that they count for. */
  forget(end: number): Promise<void>;
  /** Blocks that may not be in the database, oldest first, in their current state. */
  inMemory(): readonly Block[];
  /** Records in all blocks, the saved ones included. */
  total(): number;
  /** Waits while there is much to save. */
  saved(): Promise<void>;
  /** Saves the full blocks; the records of the others are read again. */
  close(): Promise<void>;
}

/**
 * @param atATime full blocks that are saved together: a commit waits for the disk, and the event loop with it
 * @param isBoundary whether a segment begins at a place: no block reaches over it, so that blocks go with their segment
 */
export function createGrowingBlocks(
  store: BlockStore,
  log: Log,
  atATime: number,
  isBoundary: (place: number) => boolean = () => false,
): GrowingBlocks {
  const full: Block[] = [];
  let builder: BlockBuilder | undefined;
  let total = 0;
  let lastSeq = 0;
  let lastEnd = 0;
  let saving: Promise<void> | undefined;
  let isReported = false;

  const save = async (): Promise<void> => {
    try {
      while (full.length > 0) {
        const some = full.slice(0, atATime);
        await Promise.all(some.map(store.save));
        for (const block of some) if (full[0] === block) full.shift(); // unless it has started over in between
      }
      isReported = false;
    } catch (error) {
      const fields = { reason: messageOf(error) };
      if (!isReported) log('warn', 'the index of the audit log cannot be saved; it is kept in memory', fields);
      isReported = true;
    }
    saving = undefined; // blocks that are left are tried again with the next one
  };

  const finish = () => {
    if (builder !== undefined) full.push(builder.block());
    builder = undefined;
    if (full.length >= atATime) saving ??= save();
  };

  return {
    start(seq, records) {
      full.splice(0);
      builder = undefined;
      [lastSeq, total] = [seq, records];
    },
    add(record, start, end) {
      if (record.seq <= lastSeq) return false;
      const isNext = record.seq === lastSeq + 1;
      if (builder !== undefined && (!(isNext && start === lastEnd) || isBoundary(start))) finish();
      builder ??= createBlockBuilder(record.seq, start);
      builder.add(record, end);
      [lastSeq, lastEnd] = [record.seq, end];
      total += 1;
      if (builder.isFull()) finish();
      return isNext;
    },
    async forget(end) {
      while (saving !== undefined) await saving; // from here on none of them is saved, and those in memory go first
      for (let oldest = full[0]; oldest !== undefined && oldest.end <= end; oldest = full[0]) {
        full.shift();
        total -= oldest.count;
      }
      const dropped = await store.dropUpTo(end);
      total -= dropped; // in a statement of its own, to count records that were added in between
    },
    inMemory: () => (builder === undefined ? [...full] : [...full, builder.block()]),
    total: () => total,
    async saved() {
      if (full.length > 2 * atATime) await saving;
    },
    async close() {
      if (full.length > 0) saving ??= save();
      await saving;
    },
  };
}
