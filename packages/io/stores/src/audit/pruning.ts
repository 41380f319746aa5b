// Removes old segments of a log, whole ones only, after a record in the log has said so and is on disk. A stop at any step
// leaves a log that is whole from its first record on: at worst it still has what that record says is removed.
import { unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type AuditRecord, type Head, toPruningDraft } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import { hasCode, messageOf } from '../files.js';
import type { AuditClock } from './clock.js';
import type { GrowingFile } from './growing-file.js';
import type { SegmentedBytes } from './log-bytes.js';
import { recordFrom } from './pruned-chain.js';
import type { RecordIndex } from './record-index.js';
import { type Segment, syncDirectory } from './segments.js';
import { recordAt } from './tail.js';
import type { Writer } from './writer.js';

export interface Pruner {
  /** Seals the file where it holds records of more than a day, and removes the segments that are old enough. */
  run(): Promise<void>;
  close(): Promise<void>;
}

export interface PrunerDeps {
  readonly path: string;
  /** Undefined removes nothing. */
  readonly keepDays?: number | undefined;
  readonly bytes: SegmentedBytes;
  readonly growing: GrowingFile;
  readonly writer: Writer;
  readonly index: RecordIndex;
  readonly append: (draft: ReturnType<typeof toPruningDraft>) => Promise<void>;
  readonly chainId: () => Promise<string>;
  /** Whether segments are being read one after the other. */
  readonly isVerifying: () => boolean;
  readonly clock: AuditClock;
  readonly log: Log;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export function createPruner(deps: PrunerDeps): Pruner {
  const { path, keepDays, clock, log } = deps;
  if (keepDays === undefined) return { run: async () => {}, close: async () => {} };
  let isClosed = false;
  let cancel = () => {};
  let running: Promise<void> | undefined;

  const work = async () => {
    try {
      await sealOld(deps);
      const old = deps.isVerifying() ? undefined : await oldSegments(deps, clock.epochMs() - keepDays * dayMs);
      if (old !== undefined && !isClosed) await remove(deps, keepDays, old);
    } catch (error) {
      log('warn', 'old records of the audit log cannot be removed', { file: path, reason: messageOf(error) });
    }
    running = undefined;
    if (!isClosed) cancel = clock.after(hourMs, start);
  };
  const start = () => {
    cancel();
    running ??= work();
  };

  start();
  return {
    async run() {
      start();
      await running;
    },
    async close() {
      isClosed = true;
      cancel();
      await running;
    },
  };
}

/** So that a log of few records has segments of a day, which age can remove. */
async function sealOld({ bytes, growing, writer, clock }: PrunerDeps): Promise<void> {
  const first = await recordFrom(bytes, growing.start(), growing.size());
  if (first === undefined || Date.parse(first.timestamp) > clock.epochMs() - dayMs) return;
  await writer.atRest(growing.seal);
}

interface OldSegments {
  readonly segments: readonly Segment[];
  readonly firstSeq: number;
  readonly last: Head;
  /** Offset of the byte after them. */
  readonly end: number;
}

/** The oldest ones whose last records are older; the newest segment stays, since the file after it may be empty. */
async function oldSegments({ bytes }: PrunerDeps, beforeMs: number): Promise<OldSegments | undefined> {
  const segments: Segment[] = [];
  let last: AuditRecord | undefined;
  for (const segment of bytes.sealed().slice(0, -1)) {
    const record = await recordAt(bytes, segment.start + segment.size);
    if (record === undefined || !(Date.parse(record.timestamp) < beforeMs)) break;
    segments.push(segment);
    last = record;
  }
  const [oldest] = segments;
  const newest = segments.at(-1);
  if (oldest === undefined || newest === undefined || last === undefined) return undefined;
  const end = newest.start + newest.size;
  const first = await recordFrom(bytes, oldest.start, end);
  return first && { segments, firstSeq: first.seq, last: { seq: last.seq, hash: last.hash }, end };
}

async function remove(
  deps: PrunerDeps,
  keepDays: number,
  { segments, firstSeq, last, end }: OldSegments,
): Promise<void> {
  const { path, bytes, growing, writer, index, clock, log } = deps;
  await index.view(); // it has to be there, to be pruned too
  const pruned = { firstSeq, last, chainId: await deps.chainId(), segments: segments.length, keepDays };
  await deps.append(toPruningDraft(pruned, clock.epochMs()));
  await writer.flush();
  const reason = writer.unavailable();
  if (reason !== undefined) throw new Error(reason);
  await writer.atRest(growing.sync);
  await bytes.forget(end);
  await index.forget(end);
  for (const segment of segments) await unlink(segment.path).catch(unlessMissing);
  await syncDirectory(dirname(path));
  log('info', 'old records of the audit log were removed', { file: path, first_seq: firstSeq, last_seq: last.seq });
}

function unlessMissing(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error;
}
