// The audit log in a file: one JSON line a record, appended and never rewritten, with its index beside it.
// Puts together what writes, reads and verifies it; the rules are in their files.
import { open, rename } from 'node:fs/promises';
import { breaksChain } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import type { StateDatabase } from '../database.js';
import { createAuditAppender } from './audit-appender.js';
import { editedError, toAuditFileError } from './audit-file-error.js';
import { createBlockStore } from './block-store.js';
import type { SigningOptions } from './checkpoints/checkpointer.js';
import { createCheckpointer } from './checkpoints/checkpointer.js';
import { createSidecarStore, sidecarLines, sidecarOf } from './checkpoints/sidecar.js';
import { openCounters } from './counters.js';
import { createFirstHash } from './first-hash.js';
import { createGrowingFile, type GrowingFile } from './growing-file.js';
import { createHeadKeeper } from './head-keeper.js';
import { createAuditHeads, type KeptHead } from './heads.js';
import { type KeptLog, toAuditLog } from './kept-log.js';
import { createLineWrites } from './line-writes.js';
import { createListeners } from './listeners.js';
import { createSegmentedBytes, type SegmentedBytes } from './log-bytes.js';
import { type OpenHandle, openLogHandle, stateOf } from './log-handle.js';
import { logKey } from './log-key.js';
import { prunedChain } from './pruned-chain.js';
import { createPruner } from './pruning.js';
import { createQueries } from './queries.js';
import { createRecordIndex } from './record-index.js';
import { type Recovery, type Remembered, recover } from './recover.js';
import { endOfSegments, listSegments } from './segments.js';
import { takeFile } from './take-file.js';
import { verifyLive } from './verify-live.js';
import { createWriter, type WritingOptions } from './writer.js';

export interface AuditFileOptions extends WritingOptions {
  /** Absolute path of the log. Missing parts of it are created. */
  readonly file: string;
  /** The state directory of the daemon, for the files that survive a crash. */
  readonly stateDirectory: string;
  readonly database: StateDatabase;
  /** Identifies the daemon among others that share the database: their files may have the same path. */
  readonly owner?: string | undefined;
  /** Full blocks of the index that are saved together. */
  readonly blocksAtATime?: number;
  /** How long queries wait for the index where it is being built. */
  readonly patienceMs?: number;
  /** How where the log stands is signed; undefined signs nothing. */
  readonly signing?: SigningOptions | undefined;
  /** The file is sealed at this many bytes, and another one follows it. Never by default. */
  readonly maxFileBytes?: number | undefined;
  /** Segments whose records are all older are removed. None by default. */
  readonly keepDays?: number | undefined;
  /** How the file is written. */
  readonly openHandle?: OpenHandle;
  /** How a file is given the name of a segment. */
  readonly renameFile?: (from: string, to: string) => Promise<void>;
}

/** Its `close` writes what waits, saves where the log ends, and gives the file back. */
export interface AuditFile extends KeptLog {
  /** Removes now what is old enough, as it does by itself each hour. */
  prune(): Promise<void>;
}

type Close = () => void | Promise<void>;

/** Opens the log and continues at its end, after any kind of crash. @throws AuditFileError */
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

interface OpenedFiles {
  readonly file: SegmentedBytes;
  readonly growing: GrowingFile;
  readonly recovery: Recovery;
}

/** The segments and the file that follows them, which goes on after its last record. */
async function openFiles(
  path: string,
  opened: Close[],
  { openHandle = openLogHandle, ...options }: AuditFileOptions,
  remembered: Remembered,
): Promise<OpenedFiles> {
  const segments = await listSegments(path);
  const start = endOfSegments(segments);
  const file = createSegmentedBytes(segments, start, await open(path, 'r'));
  opened.push(file.close);
  const handle = await openHandle(path);
  opened.push(handle.close);
  const state = await stateOf(path);
  if (state === undefined) throw new Error('it was removed while it was opened');
  const recovery = await recover(file, path, start + state.size, remembered);
  const newest = segments.at(-1);
  if (newest !== undefined && recovery.size < start) throw editedError(newest.path, recovery.size - newest.start);
  if (recovery.cutBytes > 0) await handle.truncate(recovery.size - start);
  opened.splice(-1); // it is the growing file's from here on
  const growing = createGrowingFile({
    path,
    openHandle,
    handle,
    identity: state.identity,
    start,
    end: recovery.size,
    isStrict: options.isStrict,
    maxBytes: options.maxFileBytes ?? Number.POSITIVE_INFINITY,
    rename: options.renameFile ?? rename,
    log: options.log,
    onSealed: file.rotated,
  });
  opened.push(growing.close);
  return { file, growing, recovery };
}

/** @param opened what has to be closed in the end is added to it */
async function openTaken(path: string, opened: Close[], options: AuditFileOptions): Promise<AuditFile> {
  const { database, clock, log, isStrict } = options;
  const heads = createAuditHeads(database);
  const key = logKey(path, options.owner);
  const counters = openCounters(options.stateDirectory, path, log);
  opened.push(counters.close);
  const remembered = { head: await heads.get(key), counters: counters.before };
  const { file, growing, recovery } = await openFiles(path, opened, options, remembered);
  reportRecovery(recovery, path, log);

  const listeners = createListeners();
  const beforeWrite = (after: KeptHead) => {
    if (mayCover()) counters.cover({ before: { ...writer.head(), end: size }, after });
  };
  const lines = createLineWrites({ file: growing, beforeWrite });
  let size = recovery.size; // moves together with the head
  const position = () => ({ head: writer.head(), size });
  const isNoted = () => recovery.gap === undefined || position().head.seq > recovery.head.seq; // that record is first
  /** Where records are missing or were added, the notes stay as they are until the log itself says so. */
  const mayCover = () => recovery.gap === undefined || !breaksChain(recovery.gap.reason) || isNoted();
  const writer = createWriter({
    ...options,
    named: { file: path },
    start: recovery.head,
    append: lines.append,
    onKept(records) {
      size = records.at(-1)?.end ?? size;
      index.add(records);
      appender.kept();
      keeper.touch();
      checkpointer?.kept();
      listeners.notify();
    },
    onAvailable: (outage) => appender.available(outage),
  });
  const keeper = createHeadKeeper({ path, key, handle: growing, heads, clock, log, position, mayReplace: isNoted });
  const chainId = createFirstHash(
    file,
    () => size,
    () => prunedChain(file, size, queries),
  );
  const checkpointer =
    options.signing &&
    createCheckpointer({
      ...options.signing,
      store: createSidecarStore(sidecarOf(path)),
      clock,
      log,
      sync: growing.sync,
      head: writer.head,
      chainId,
    });
  const store = createBlockStore(database, key);
  const { blocksAtATime, patienceMs } = options;
  const index = createRecordIndex({ file, store, clock, log, keptSize: () => size, blocksAtATime, patienceMs });
  const queries = createQueries({ file, index, clock, log });
  const appender = createAuditAppender({ writer, counters, clock, recovery, isStrict });
  const { stateDirectory } = options;
  let verifying = 0;
  const verify = async () => {
    verifying += 1;
    return verifyLive({ path, writer, lines: growing, log, stateDirectory, checkpointer }).finally(() => {
      verifying -= 1;
    });
  };
  const { append } = appender;
  const isVerifying = () => verifying > 0;
  const pruner = createPruner({ ...options, path, bytes: file, growing, writer, index, append, chainId, isVerifying });
  keeper.touch();
  // The last one is closed first: to sign may take the index, which names the chain of a pruned log.
  opened.push(counters.seal, appender.close, keeper.close, index.close, () => checkpointer?.close());

  return {
    ...toAuditLog({ writer, appender, queries, listeners, verify, checkpoints: () => sidecarLines(sidecarOf(path)) }),
    prune: pruner.run,
    async close() {
      await pruner.close();
      const left = await writer.close();
      if (left > 0)
        log('error', 'records of the audit log could not be written and are lost', { file: path, records: left });
      await closeAll(opened.splice(0));
    },
  };
}

function reportRecovery({ gap, cutBytes }: Recovery, path: string, log: Log): void {
  if (gap === undefined) return;
  const words = {
    records_missing: 'records of the audit log were cut off or replaced while the service was stopped',
    records_added: 'records were added to the audit log while the service was stopped',
    unclean_stop: 'the service was not stopped in order: actions may have left no record',
    torn_tail: 'the last write of the audit log was cut off',
    unwritable: 'the audit log could not be written',
  };
  const level = breaksChain(gap.reason) ? 'error' : 'warn';
  log(level, words[gap.reason], { file: path, ...gap.details, cut_bytes: cutBytes });
}
