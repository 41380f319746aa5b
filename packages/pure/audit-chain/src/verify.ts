// Verifies a log that is one chain, line by line, and names the first record that is not as sealed. It reads no file.
import { type ChainCheckOptions, createChainCheck, endOf } from './chain-check.js';
import { readLink } from './link.js';
import type { Head } from './seal.js';

export interface ChainReport {
  readonly chain_id: string;
  readonly is_valid: boolean;
  readonly total_records: number;
  readonly verified_records: number;
  readonly first_corrupted_id: string | null;
  readonly details: string;
}

/** How far signed checkpoints cover a log. */
export interface CheckpointReport {
  /** Checkpoints that are there. */
  readonly total: number;
  /** Those signed by a trusted key, of records at their original place. */
  readonly verified: number;
  /** Position and time of the latest of them; null for none. */
  readonly last_seq: number | null;
  readonly last_time: string | null;
  /** Records that no verified checkpoint covers. */
  readonly records_after: number;
  /** In words. */
  readonly details: string;
}

/** The report for a log that is not signed. @param details why */
export function noCheckpoints(records: number, details: string): CheckpointReport {
  return { total: 0, verified: 0, last_seq: null, last_time: null, records_after: records, details };
}

export interface VerificationReport {
  readonly is_valid: boolean;
  readonly total_records: number;
  /** Records before the first one that is wrong, of every chain. */
  readonly verified_records: number;
  /** The id that belongs to the place of the first wrong or missing record; the number of a line that names none. */
  readonly first_corrupted_id: string | number | null;
  readonly details: string;
  /** Each chain of a log of several. */
  readonly chains?: readonly ChainReport[] | undefined;
  /** Where they were looked for. */
  readonly checkpoints?: CheckpointReport | undefined;
}

export interface Verifier {
  /**
   * The next line, without its line feed; null in place of a line that cannot be read, with the reason. Decode strictly
   * and split at line feeds only: decoders that forgive turn other bytes into U+FFFD too, and records may hold U+2028,
   * at which node:readline splits. The rest behind the last line feed is a line only if it is not empty.
   */
  push(line: string | null, instead?: string): void;
  /** Where the verified part of the log ends. */
  head(): Head;
  end(): VerificationReport;
}

export type VerifierOptions = ChainCheckOptions;

export const noLine = 'the line is no UTF-8';

/** Creates a verifier of one chain, fed with the lines of a JSONL file in order. */
export function createVerifier(options: VerifierOptions = {}): Verifier {
  const check = createChainCheck(options);
  return {
    push(line, instead = noLine) {
      check.push(line === null ? { ok: false, problem: instead } : readLink(line));
    },
    head: () => check.outcome().head,
    end() {
      const outcome = check.outcome();
      const { total, verified, failure } = outcome;
      const counts = { is_valid: failure === undefined, total_records: total, verified_records: verified };
      if (failure === undefined) return { ...counts, first_corrupted_id: null, details: endOf(outcome) };
      const { id, problem } = failure;
      return { ...counts, first_corrupted_id: id, details: `line ${verified + 1}, record ${id}: ${problem}` };
    },
  };
}
