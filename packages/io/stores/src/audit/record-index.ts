// The index of a log: blocks in the state database, and the newest in memory. It is built from the file, and rebuilt if
// it does not match. Appends never wait for it or fail with it.
import { setImmediate } from 'node:timers/promises';
import { type AuditRecord, parseRecord } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import { messageOf } from '../files.js';
import type { Block } from './block.js';
import type { BlockStore, TimeBounds } from './block-store.js';
import type { AuditClock } from './clock.js';
import { createGrowingBlocks } from './growing-blocks.js';
import type { LogBytes } from './log-bytes.js';
import { readLines } from './read-lines.js';
import { createReadiness } from './readiness.js';
import { headAt } from './tail.js';

export interface KeptRecord {
  readonly record: AuditRecord;
  /** In the file, the byte after its line feed. */
  readonly end: number;
}

export interface IndexView {
  /** Records in all blocks. */
  readonly total: number;
  /** Blocks may hold records of other times as well. @param ids by number: blocks that hold none of one of them may be left out */
  newestFirst(bounds: TimeBounds, ids?: readonly number[]): AsyncGenerator<Block>;
  /** From the block on that reaches a position. */
  oldestFirst(seq: number, bounds: TimeBounds): AsyncGenerator<Block>;
}

export interface RecordIndex {
  /** Records that were written, each after the one before it. */
  add(records: readonly KeptRecord[]): void;
  /** Gives up what is before a place of the log. */
  forget(before: number): Promise<void>;
  /** The current content. Waits some seconds while it is being built. @throws PorticoError when that is not enough */
  view(): Promise<IndexView>;
  close(): Promise<void>;
}

export interface IndexDeps {
  readonly file: LogBytes;
  readonly store: BlockStore;
  readonly clock: AuditClock;
  readonly log: Log;
  /** How much of the file is kept, in bytes. */
  readonly keptSize: () => number;
  /** Full blocks that are saved together; those that a crash loses are read again. */
  readonly blocksAtATime?: number | undefined;
  /** How long a query waits while it is being built. */
  readonly patienceMs?: number | undefined;
}

const defaultPatienceMs = 5000;
const againAfterMs = 30_000;
const progressMs = 2000;
/** Lines that are taken in before others have their turn. */
const linesAtATime = 100;

export function createRecordIndex(deps: IndexDeps): RecordIndex {
  const { file, store, clock, log, keptSize, blocksAtATime = 16, patienceMs = defaultPatienceMs } = deps;
  const blocks = createGrowingBlocks(store, log, blocksAtATime, (place) => file.isBoundary?.(place) ?? false);
  const readiness = createReadiness(clock);
  let cursor = 0; // how much of the file is in the blocks
  let isClosed = false;
  let isReported = false;
  let cancelRetry = () => {};

  const percent = () => Math.floor((100 * cursor) / Math.max(1, keptSize()));

  const take = (record: AuditRecord | undefined, end: number) => {
    if ((record === undefined || !blocks.add(record, cursor, end)) && !isReported) {
      isReported = true;
      log('error', 'the audit log does not hold every record in its place; verify it', { offset: cursor });
    }
    cursor = end;
  };

  const begin = async () => {
    const first = file.first?.() ?? 0;
    if (first > 0) await store.dropUpTo(first); // a stop may have come before
    const last = await store.last();
    const head = last && last.end <= keptSize() ? await headAt(file, last.end) : undefined;
    if (last !== undefined && head?.hash === last.hash && head.seq === last.firstSeq + last.count - 1) {
      cursor = last.end;
      return blocks.start(head.seq, await store.countRecords());
    }
    if (last !== undefined) log('warn', 'the index of the audit log does not fit its file; it is built again');
    await store.clear();
    cursor = first;
    blocks.start(first === 0 ? 0 : await seqBefore(deps, first), 0);
  };

  /** Where a segment is missing, what follows it is read: verification says what is not there. */
  const skipMissing = () => {
    const next = file.next?.(cursor);
    if (next === undefined || next <= cursor) return;
    if (!isReported) log('error', 'a segment of the audit log is missing; verify it', { offset: cursor });
    isReported = true;
    cursor = next;
  };

  /**
   * Reads the records that are not in the blocks, including records that are written during the read; the last ones in
   * one turn.
   */
  const catchUp = async () => {
    let reportedAt = clock.epochMs();
    while (cursor < keptSize()) {
      for await (const lines of readLines(file, { start: cursor, end: keptSize() })) {
        if (isClosed) return;
        for (const [i, { text, end }] of lines.entries()) {
          take(text === null ? undefined : parseRecord(text), end);
          if (i % linesAtATime === 0) await setImmediate();
        }
        await blocks.saved();
        if (clock.epochMs() - reportedAt < progressMs) continue;
        reportedAt = clock.epochMs();
        log('info', 'the index of the audit log is being built', { percent: percent() });
      }
      skipMissing();
    }
    readiness.reach();
  };

  const build = async () => {
    try {
      await begin();
      await catchUp();
    } catch (error) {
      if (isClosed) return;
      log('error', 'the index of the audit log cannot be built; it is tried again', { reason: messageOf(error) });
      cancelRetry = clock.after(againAfterMs, () => {
        building = build();
      });
    }
  };

  let building = build();

  return {
    add(records) {
      if (!readiness.isReached()) return; // they are read from the file
      for (const { record, end } of records) take(record, end);
    },
    forget: blocks.forget,
    async view() {
      await readiness.wait(patienceMs, () => `the index of the audit log is being built (${percent()} %)`);
      return viewOf(store, blocks.inMemory(), blocks.total());
    },
    async close() {
      isClosed = true;
      cancelRetry();
      await building;
      await blocks.close();
    },
  };
}

/** The position before that of the oldest record that is kept, which begins there. */
async function seqBefore({ file, keptSize }: IndexDeps, start: number): Promise<number> {
  for await (const [line] of readLines(file, { start, end: keptSize() })) {
    const record = line?.text == null ? undefined : parseRecord(line.text);
    return record === undefined ? 0 : record.seq - 1;
  }
  return 0;
}

/** Blocks that are read together, once a query needs more than one: SQLite blocks the event loop during a read. */
const manyBlocks = 8;

/** @param newest blocks in memory, oldest first; those of the database that come after them are the same ones, saved */
function viewOf(store: BlockStore, newest: readonly Block[], total: number): IndexView {
  const firstInMemory = newest[0]?.firstSeq ?? Number.MAX_SAFE_INTEGER;
  return {
    total,
    async *newestFirst(bounds, ids = []) {
      yield* newest.toReversed();
      if (ids.length > 0) return yield* store.holding(firstInMemory, bounds, ids);
      let before = firstInMemory;
      for (let count = 1; ; count = manyBlocks) {
        const blocks = await store.before(before, bounds, count);
        yield* blocks;
        before = blocks.at(-1)?.firstSeq ?? 0;
        if (blocks.length === 0) return;
        await setImmediate(); // SQLite answers at once, so nothing else would have its turn
      }
    },
    async *oldestFirst(seq, bounds) {
      let from = seq;
      for (let count = 1; ; count = manyBlocks) {
        const blocks = (await store.from(from, bounds, count)).filter(({ firstSeq }) => firstSeq < firstInMemory);
        yield* blocks;
        const last = blocks.at(-1);
        if (last === undefined) break;
        from = last.firstSeq + last.count;
        await setImmediate();
      }
      yield* newest.filter(({ firstSeq, count }) => firstSeq + count > seq);
    },
  };
}
