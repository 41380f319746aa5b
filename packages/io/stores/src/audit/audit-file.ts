// The audit log in a file: one JSON line a record, appended and never rewritten, with its index beside it.
// Puts together what writes, reads and verifies it; the rules are in their files.
import { open } from 'node:fs/promises';
import type { AuditLog, Log } from '@portico/control-plane';
import type { StateDatabase } from '../database.js';
import { toAuditFileError } from './audit-file-error.js';
import { createBlockStore } from './block-store.js';
import { createBook } from './book.js';
import type { AuditClock } from './clock.js';
import { createHeadKeeper } from './head-keeper.js';
import { createAuditHeads } from './heads.js';
import { type OpenHandle, openLogHandle, stateOf } from './log-handle.js';
import { createQueries } from './queries.js';
import { createRecordIndex } from './record-index.js';
import { type Recovery, recover } from './recover.js';
import { shareRuns } from './share-runs.js';
import { takeFile } from './take-file.js';
import { openTally } from './tally.js';
import { verifyLive } from './verify-live.js';
import { createWriter } from './writer.js';

export interface AuditFileOptions {
  /** Absolute path of the log. What is missing of it is created. */
  readonly file: string;
  /** Of the daemon, for what survives a crash. */
  readonly stateDirectory: string;
  readonly database: StateDatabase;
  /** Records that may wait before callers do. */
  readonly bufferCapacity: number;
  /** How long a record waits for others at most. */
  readonly flushIntervalMs: number;
  /** Records that are written without waiting for others. */
  readonly maxBatchSize: number;
  /** Whether a record counts as appended only once it is on disk. */
  readonly isStrict: boolean;
  readonly clock: AuditClock;
  readonly log: Log;
  /** Full blocks of the index that are saved together. */
  readonly blocksAtATime?: number;
  /** How the file is written. */
  readonly openHandle?: OpenHandle;
}

export interface AuditFile extends AuditLog {
  /** Writes what waits, saves where the log ends, and gives the file back. */
  close(): Promise<void>;
}

type Close = () => void | Promise<void>;

/** Opens the log and goes on where it ends, whatever the last process has left. @throws AuditFileError */
export async function openAuditFile(options: AuditFileOptions): Promise<AuditFile> {
  const { path, release } = await takeFile(options.file);
  const opened: Close[] = [release];
  try {
    return await openTaken(path, opened, options);
  } catch (error) {
    await closeAll(opened).catch(() => {}); // the first reason counts
    throw toAuditFileError(path, error);
  }
}

/** The last one first. */
async function closeAll(opened: readonly Close[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of opened.toReversed()) {
    await Promise.resolve()
      .then(close)
      .catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** @param opened what has to be closed in the end is added to it */
async function openTaken(path: string, opened: Close[], options: AuditFileOptions): Promise<AuditFile> {
  const { database, clock, log, openHandle = openLogHandle } = options;
  const heads = createAuditHeads(database);
  const tally = openTally(options.stateDirectory, path, log);
  opened.push(tally.close);
  const file = await open(path, 'r');
  opened.push(() => file.close());
  const handle = await openHandle(path);
  opened.push(handle.close);
  const state = await stateOf(path);
  if (state === undefined) throw new Error('it was removed while it was opened');

  const recovery = await recover(file, path, state.size, { head: await heads.get(path), tally: tally.before });
  if (recovery.cutBytes > 0) await handle.truncate(recovery.size);
  tellOf(recovery, path, log);

  const listeners = new Set<() => void>();
  const writer = createWriter({
    ...options,
    path,
    handle,
    identity: state.identity,
    start: { head: recovery.head, size: recovery.size },
    onKept(records) {
      index.add(records);
      book.kept();
      keeper.touch();
      for (const tell of listeners) queueMicrotask(tell); // what one of them throws is not the writer's
    },
    onAvailable: (outage) => book.available(outage),
  });
  const position = writer.position;
  const mayReplace = () => recovery.gap === undefined || position().head.seq > recovery.head.seq; // that record is first
  const keeper = createHeadKeeper({ path, handle, heads, clock, log, position, mayReplace });
  const store = createBlockStore(database, path);
  const { blocksAtATime } = options;
  const index = createRecordIndex({ file, store, clock, log, keptSize: () => position().size, blocksAtATime });
  const queries = createQueries({ file, index, clock, log });
  const book = createBook({ writer, tally, clock, recovery, isStrict: options.isStrict });
  keeper.touch();
  opened.push(book.close, keeper.close, index.close);

  const flushed =
    <A extends unknown[], T>(query: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await writer.flush(); // reads see what was appended
      return query(...args);
    };

  return {
    begin: book.begin,
    append: book.append,
    flush: writer.flush,
    list: flushed(queries.list),
    get: flushed(queries.get),
    stats: flushed(queries.stats),
    verify: shareRuns(flushed(() => verifyLive({ path, writer, log }))),
    records: (filter) => flushedRecords(() => writer.flush(), queries.records(filter, book.lastSeq())),
    async after(seq, portion) {
      if (position().head.seq <= seq) await writer.flush();
      return queries.after(seq, portion);
    },
    head: () => position().head,
    onKept(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    waiting: writer.waiting,
    unavailable: writer.unavailable,
    async close() {
      const left = await writer.close();
      if (left > 0)
        log('error', 'records of the audit log could not be written and are lost', { file: path, records: left });
      await closeAll(opened.splice(0));
    },
  };
}

async function* flushedRecords<T>(flush: () => Promise<void>, records: AsyncIterable<T>): AsyncGenerator<T> {
  await flush();
  yield* records;
}

function tellOf({ gap, cutBytes }: Recovery, path: string, log: Log): void {
  if (gap === undefined) return;
  const words = {
    records_missing: 'records of the audit log were cut off or replaced while the service was stopped',
    unclean_stop: 'the service was not stopped in order: actions may have left no record',
    torn_tail: 'the last write of the audit log was cut off',
    unwritable: 'the audit log could not be written',
  };
  const level = gap.reason === 'records_missing' ? 'error' : 'warn';
  log(level, words[gap.reason], { file: path, ...gap.details, cut_bytes: cutBytes });
}
