// Verifies a log line by line, in memory that does not grow with it, and names the first record that is not as sealed.
// It reads no file, and it never looks for more once one record is wrong: what follows stands on nothing.
import { createHeadCheck, type NotedHead } from './expected-head.js';
import { tellsOfMissingRecords } from './gap.js';
import { readPlainLine } from './plain-line.js';
import { readLine } from './read-line.js';
import { type AuditRecord, recordId } from './record.js';
import { hashOf } from './record-text.js';
import { genesisHead, type Head } from './seal.js';

export interface VerificationReport {
  readonly is_valid: boolean;
  readonly total_records: number;
  /** Records before the first one that is wrong. */
  readonly verified_records: number;
  /** The id that belongs to the place of the first wrong or missing record. */
  readonly first_corrupted_id: string | number | null;
  readonly details: string;
}

export interface Verifier {
  /**
   * The next line, without its line feed; null for what is no line, with what it is instead. Decode strictly and split at line
   * feeds only: decoders that forgive turn other bytes into U+FFFD too, and records may hold U+2028, at which
   * node:readline splits. What follows the last line feed is a line only if it is not empty.
   */
  push(line: string | null, instead?: string): void;
  /** Where the verified part of the log ends. */
  head(): Head;
  end(): VerificationReport;
}

export interface VerifierOptions {
  /** What the first line stands on; the genesis by default. */
  readonly start?: Head | undefined;
  /** The record that must be the last. Without it, a log that was cut at a line is valid. */
  readonly expectedHead?: NotedHead | undefined;
  /** Whether records may follow the expected one, as where the log has grown since it was noted. */
  readonly mayContinue?: boolean | undefined;
}

type Check =
  /** The record is not read where it is plain: it tells of no gap. */
  | { readonly ok: true; readonly head: Head; readonly record?: AuditRecord }
  | { readonly ok: false; readonly problem: string };

export function createVerifier({
  start = genesisHead,
  expectedHead,
  mayContinue = false,
}: VerifierOptions = {}): Verifier {
  const headCheck = createHeadCheck(start, expectedHead, mayContinue);
  let head = start;
  let total = 0;
  let gaps = 0;
  let problem: string | undefined;

  return {
    push(line, instead = 'the line is no UTF-8') {
      total += 1;
      if (problem !== undefined) return;
      const check: Check = line === null ? { ok: false, problem: instead } : checkLine(line, head);
      problem = check.ok ? (missingBefore(check.record) ?? headCheck.problemOf(check.head)) : check.problem;
      if (!check.ok || problem !== undefined) return;
      head = check.head;
      if (check.record?.event_type === 'audit_gap') gaps += 1;
    },
    head: () => head,
    end() {
      const verified = head.seq - start.seq;
      const found = problem ?? headCheck.problemAtEnd();
      const counts = { is_valid: found === undefined, total_records: total, verified_records: verified };
      if (found === undefined)
        return { ...counts, first_corrupted_id: null, details: `the chain ends at ${head.hash}${mentionOf(gaps)}` };
      const id = recordId(head.seq + 1);
      return { ...counts, first_corrupted_id: id, details: `line ${verified + 1}, record ${id}: ${found}` };
    },
  };
}

/** What links a record to the one before it. */
interface Link {
  readonly id: string;
  readonly seq: number;
  readonly prev_hash: string;
  readonly hash: string;
}

/** The head after a line, where the line is the record that belongs there. */
function checkLine(line: string, before: Head): Check {
  const plain = readPlainLine(line);
  if (plain !== undefined) return checkLink(plain, plain.hashed, before);
  const reading = readLine(line);
  if (!reading.ok) return reading;
  const check = checkLink(reading.record, reading.hashed, before);
  return check.ok ? { ...check, record: reading.record } : check;
}

function checkLink(link: Link, hashed: string, before: Head): Check {
  const seq = before.seq + 1;
  const hash = hashOf(before.hash, hashed);
  if (link.seq !== seq) return { ok: false, problem: `seq is ${link.seq}: records are missing, added or moved` };
  if (link.id !== recordId(seq)) return { ok: false, problem: 'id does not belong to seq' };
  if (link.prev_hash !== before.hash) {
    return { ok: false, problem: 'prev_hash is not the hash of the record before it; one of the two was replaced' };
  }
  if (link.hash !== hash) return { ok: false, problem: 'its contents do not give its hash' };
  return { ok: true, head: { seq, hash } };
}

/** What a record says of records before it that were cut off or replaced: the chain alone would not show it. */
function missingBefore(record: AuditRecord | undefined): string | undefined {
  if (record === undefined || !tellsOfMissingRecords(record)) return undefined;
  const { expected_seq: seq, expected_hash: hash } = record.details ?? {};
  return `records before it were removed or replaced; the log had held record ${seq} with the hash ${hash}`;
}

function mentionOf(gaps: number): string {
  if (gaps === 0) return '';
  return gaps === 1 ? '; one record tells of a gap' : `; ${gaps} records tell of gaps`;
}
