// Verifies a log line by line, in memory that does not grow with it, and names the first record that is not as sealed.
// It reads no file, and it never looks for more once one record is wrong: what follows stands on nothing.
import { createHeadCheck, type NotedHead } from './expected-head.js';
import { readLine } from './read-line.js';
import { recordId } from './record.js';
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
   * The next line, without its line feed; null for a line whose bytes are no UTF-8. Decode strictly and split at line
   * feeds only: decoders that forgive turn other bytes into U+FFFD too, and records may hold U+2028, at which
   * node:readline splits. What follows the last line feed is a line only if it is not empty.
   */
  push(line: string | null): void;
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

type Check = { readonly ok: true; readonly head: Head } | { readonly ok: false; readonly problem: string };

export function createVerifier({
  start = genesisHead,
  expectedHead,
  mayContinue = false,
}: VerifierOptions = {}): Verifier {
  const headCheck = createHeadCheck(start, expectedHead, mayContinue);
  let head = start;
  let total = 0;
  let problem: string | undefined;

  return {
    push(line) {
      total += 1;
      if (problem !== undefined) return;
      const check = checkLine(line, head);
      problem = check.ok ? headCheck.problemOf(check.head) : check.problem;
      if (check.ok && problem === undefined) head = check.head;
    },
    head: () => head,
    end() {
      const verified = head.seq - start.seq;
      const found = problem ?? headCheck.problemAtEnd();
      const counts = { is_valid: found === undefined, total_records: total, verified_records: verified };
      if (found === undefined)
        return { ...counts, first_corrupted_id: null, details: `the chain ends at ${head.hash}` };
      const id = recordId(head.seq + 1);
      return { ...counts, first_corrupted_id: id, details: `line ${verified + 1}, record ${id}: ${found}` };
    },
  };
}

/** The head after a line, where the line is the record that belongs there. */
function checkLine(line: string | null, before: Head): Check {
  if (line === null) return { ok: false, problem: 'the line is no UTF-8' };
  const reading = readLine(line);
  if (!reading.ok) return reading;
  const { record, text } = reading;
  const seq = before.seq + 1;
  const hash = hashOf(before.hash, text);
  if (record.seq !== seq) return { ok: false, problem: `seq is ${record.seq}: records are missing, added or moved` };
  if (record.id !== recordId(seq)) return { ok: false, problem: 'id does not belong to seq' };
  if (record.prev_hash !== before.hash) {
    return { ok: false, problem: 'prev_hash is not the hash of the record before it; one of the two was replaced' };
  }
  if (record.hash !== hash) return { ok: false, problem: 'its contents do not give its hash' };
  return { ok: true, head: { seq, hash } };
}
