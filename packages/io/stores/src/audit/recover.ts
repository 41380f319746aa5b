// What the last process has left of a log: where to go on, what to cut off, and what the log has to tell of it.
// It changes nothing, and a crash alone never stops a start.
import type { FileHandle } from 'node:fs/promises';
import type { GapReason, Head } from '@portico/audit-chain';
import type { JsonObject } from '@portico/contracts';
import { editedError } from './audit-file-error.js';
import type { Counts } from './counters.js';
import type { KeptHead } from './heads.js';
import { headAt, readTail } from './tail.js';

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
  /** What has to be told; undefined where nothing is missing. */
  readonly gap: Gap | undefined;
}

export interface Remembered {
  readonly head: KeptHead | undefined;
  readonly counters: Counts | undefined;
}

/** @throws AuditFileError where the end was edited */
export async function recover(file: FileHandle, path: string, size: number, remembered: Remembered): Promise<Recovery> {
  const tail = await readTail(file, size);
  if (tail.status === 'edited') throw editedError(path, tail.offset);
  const { head, end } = tail;
  const { counters } = remembered;
  const lost = {
    records: Math.max(0, (counters?.issued ?? 0) - head.seq),
    actions: Math.max(0, (counters?.begun ?? 0) - (counters?.ended ?? 0)),
  };
  const missing = await missingOf(file, head, end, remembered.head);
  const cutBytes = size - end;
  const details: JsonObject = {
    ...missing,
    ...(counters !== undefined && { lost_records: lost.records, unfinished_actions: lost.actions }),
    cut_bytes: cutBytes,
  };
  const reason = reasonOf(missing !== undefined, lost.records + lost.actions > 0, cutBytes > 0);
  return { head, size: end, cutBytes, lost, gap: reason && { reason, details } };
}

/** The gravest: details tell the rest. */
function reasonOf(isMissing: boolean, isUnclean: boolean, isTorn: boolean): GapReason | undefined {
  if (isMissing) return 'records_missing';
  if (isUnclean) return 'unclean_stop';
  return isTorn ? 'torn_tail' : undefined;
}

/** What differs from the head that is known to have been on disk; undefined where the log goes on from it. */
async function missingOf(
  file: FileHandle,
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
