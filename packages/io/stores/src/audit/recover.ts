// The recovery of a log: the position to continue at, the bytes to cut off, and the gap to record. It changes nothing,
// and a crash alone never prevents a start.
import type { GapReason, Head } from '@portico/audit-chain';
import type { JsonObject } from '@portico/contracts';
import { editedError } from './audit-file-error.js';
import type { CountsBefore } from './counters.js';
import type { KeptHead } from './heads.js';
import type { LogBytes } from './log-bytes.js';
import { headAt, readTail } from './tail.js';
import type { Written } from './written.js';

export interface Gap {
  readonly reason: GapReason;
  readonly details: JsonObject;
}

export interface Recovery {
  readonly head: Head;
  /** Bytes of whole records. */
  readonly size: number;
  /** Bytes that follow them. */
  readonly cutBytes: number;
  /** Records that were sealed and are not in the file, and actions that have left no record. */
  readonly lost: { readonly records: number; readonly actions: number };
  /** The gap to record; undefined if nothing is missing. */
  readonly gap: Gap | undefined;
}

export interface Remembered {
  readonly head: KeptHead | undefined;
  readonly counters: CountsBefore | undefined;
}

/** @throws AuditFileError if the end was edited */
export async function recover(file: LogBytes, path: string, size: number, remembered: Remembered): Promise<Recovery> {
  const tail = await readTail(file, size);
  if (tail.status === 'edited') throw editedError(path, tail.offset);
  const { head, end } = tail;
  const { counters } = remembered;
  const lost = {
    records: Math.max(0, (counters?.issued ?? 0) - head.seq),
    actions: Math.max(0, (counters?.begun ?? 0) - (counters?.ended ?? 0)),
  };
  const written = counters?.written;
  const missing =
    (await missingOf(file, head, end, remembered.head)) ??
    (await missingOf(file, head, end, written && reachedOf(written, head.seq, end)));
  const added = missing === undefined ? addedOf(head, written) : undefined;
  const unconfirmed = missing === undefined ? unconfirmedOf(head, remembered) : 0;
  const cutBytes = size - end;
  const details: JsonObject = {
    ...missing,
    ...added,
    ...(unconfirmed > 0 && { unconfirmed_records: unconfirmed }),
    ...(counters !== undefined && { lost_records: lost.records, unfinished_actions: lost.actions }),
    cut_bytes: cutBytes,
  };
  const isUnclean = lost.records + lost.actions + unconfirmed > 0;
  const reason = missing ? 'records_missing' : added ? 'records_added' : reasonOf(isUnclean, cutBytes > 0);
  return { head, size: end, cutBytes, lost, gap: reason && { reason, details } };
}

/** The more severe reason; the details contain both. */
function reasonOf(isUnclean: boolean, isTorn: boolean): GapReason | undefined {
  if (isUnclean) return 'unclean_stop';
  return isTorn ? 'torn_tail' : undefined;
}

/** The later one of the two positions that the last process noted which the file reaches. */
function reachedOf({ before, after }: Written, seq: number, end: number): KeptHead {
  return seq >= after.seq || end >= after.end ? after : before;
}

/** Bytes after the last noted batch: the service has not written them. */
function addedOf(found: Head, written: Written | undefined): JsonObject | undefined {
  if (written === undefined || found.seq <= written.after.seq) return undefined;
  return {
    issued_seq: written.after.seq,
    issued_hash: written.after.hash,
    added_records: found.seq - written.after.seq,
  };
}

/** Records beyond all that is known, where how far the file was written is not: the machine may have lost those notes. */
function unconfirmedOf({ seq }: Head, { head, counters }: Remembered): number {
  if (counters === undefined || counters.written !== undefined) return 0;
  return Math.max(0, seq - Math.max(counters.issued, head?.seq ?? 0));
}

/** The difference to the head that is known to have been on disk; undefined if the log continues from it. */
async function missingOf(
  file: LogBytes,
  found: Head,
  end: number,
  expected: KeptHead | undefined,
): Promise<JsonObject | undefined> {
  if (expected === undefined) return undefined;
  const there = expected.seq > found.seq || expected.end > end ? undefined : await headAt(file, expected.end);
  if (there?.seq === expected.seq && there.hash === expected.hash) return undefined;
  return {
    expected_seq: expected.seq,
    expected_hash: expected.hash,
    found_seq: found.seq,
    found_hash: found.hash,
  };
}
