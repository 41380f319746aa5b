// Holds the records of one chain against it, in memory that does not grow with them, and finds the first one that is not
// as sealed. It never looks for more once one record is wrong: what follows stands on nothing.
import { createHeadCheck, type NotedHead } from './expected-head.js';
import { recordsBrokenChain } from './gap.js';
import type { Link, LinkReading } from './link.js';
import { isPrunedUpTo, type Pruning, pruningOf } from './pruning.js';
import type { AuditRecord } from './record.js';
import { genesisHead, type Head, hashOf, recordId } from './seal.js';
import type { Witness } from './witness.js';

export interface ChainCheckOptions {
  /** The head before the first line; the genesis by default. */
  readonly start?: Head | undefined;
  /** Whether the log may begin with a later record, where one of its records says that those before it were pruned. */
  readonly mayBePruned?: boolean | undefined;
  /** The record that must be the last. Without it, a log that was cut at a line is valid. */
  readonly expectedHead?: NotedHead | undefined;
  /** Whether records may follow the expected one, as where the log has grown since it was noted. */
  readonly mayContinue?: boolean | undefined;
  /** The chain that every record must name; none by default. */
  readonly chainId?: string | undefined;
  /** Checks the records against signed checkpoints. */
  readonly witness?: Pick<Witness, 'problemOf'> | undefined;
}

export interface ChainOutcome {
  readonly total: number;
  /** Records before the first one that is wrong. */
  readonly verified: number;
  /** Records among these that report a gap. */
  readonly gaps: number;
  /** Where the log begins with a later record than the first: what says that those before it were pruned. */
  readonly pruned?: Pruning | undefined;
  /** Where the verified part ends. */
  readonly head: Head;
  /** The id that belongs to the place of the first wrong or missing record; undefined for a whole chain. */
  readonly failure: { readonly id: string; readonly problem: string } | undefined;
}

export interface ChainCheck {
  /** Whether the chain is whole so far. */
  push(reading: LinkReading): boolean;
  outcome(): ChainOutcome;
}

/** Creates a check of one hash chain, fed with one link after the other. */
export function createChainCheck({
  start: given = genesisHead,
  mayBePruned = false,
  expectedHead,
  mayContinue = false,
  chainId,
  witness,
}: ChainCheckOptions = {}): ChainCheck {
  const headCheck = createHeadCheck(given, expectedHead, mayContinue);
  let start = given;
  let head = start;
  let total = 0;
  let gaps = 0;
  let problem: string | undefined;
  let pruned: Pruning | undefined;

  /** A log whose first records were pruned stands on the hash that its first record names. */
  const begin = (reading: LinkReading) => {
    if (!mayBePruned || !reading.ok || reading.link.seq <= 1) return;
    start = { seq: reading.link.seq - 1, hash: reading.link.prev_hash };
    head = start;
  };

  const isLate = () => mayBePruned && start.seq > 0;

  const problemOf = (reading: LinkReading): string | undefined => {
    if (!reading.ok) return reading.problem;
    const { link } = reading;
    return (
      linkProblem(link, head, chainId) ??
      brokenBefore(link.record) ??
      headCheck.problemOf(link) ??
      witness?.problemOf(link)
    );
  };

  return {
    push(reading) {
      if (total === 0) begin(reading);
      total += 1;
      problem ??= problemOf(reading);
      if (problem !== undefined || !reading.ok) return false;
      head = { seq: reading.link.seq, hash: reading.link.hash };
      if (reading.link.record?.event_type === 'audit_gap') gaps += 1;
      if (isLate()) pruned = latest(pruned, pruningOf(reading.link), start);
      return true;
    },
    outcome() {
      const found = problem ?? headCheck.problemAtEnd();
      const counts = { total, verified: head.seq - start.seq, gaps, head, pruned };
      if (found !== undefined) return { ...counts, failure: { id: recordId(head.seq + 1, chainId), problem: found } };
      if (!isLate() || pruned !== undefined) return { ...counts, failure: undefined };
      const failure = { id: recordId(start.seq, chainId), problem: missingBefore(start) };
      return { ...counts, verified: 0, failure };
    },
  };
}

function missingBefore({ seq }: Head): string {
  return `the records up to it are missing, and no record says that they were pruned; the log begins with record ${seq + 1}`;
}

function latest(known: Pruning | undefined, found: Pruning | undefined, start: Head): Pruning | undefined {
  return found !== undefined && isPrunedUpTo(found, start) ? found : known;
}

/** The problem of a record after a head; undefined if it belongs there. */
function linkProblem(link: Link, before: Head, chainId: string | undefined): string | undefined {
  const seq = before.seq + 1;
  if (link.chain_id !== chainId) return 'it belongs to another chain';
  if (link.seq !== seq) return `seq is ${link.seq}: records are missing, added or moved`;
  if (link.id !== recordId(seq, chainId)) return 'id does not belong to seq';
  if (link.prev_hash !== before.hash) {
    return 'prev_hash is not the hash of the record before it; one of the two was replaced';
  }
  return link.hash === hashOf(before.hash, link.hashed) ? undefined : 'its contents do not give its hash';
}

/**
 * Reports earlier records that were cut off, replaced or added, according to a record: the chain alone would not show
 * it.
 */
function brokenBefore(record: AuditRecord | undefined): string | undefined {
  if (record === undefined || !recordsBrokenChain(record)) return undefined;
  const { reason, issued_seq: issued, expected_seq: seq, expected_hash: hash } = record.details ?? {};
  if (reason === 'records_added') return `records before it were added: the service had written up to record ${issued}`;
  const was =
    seq == null ? 'where the log had ended is not known' : `the log had held record ${seq} with the hash ${hash}`;
  return `records before it were removed or replaced; ${was}`;
}

/** In words: where a whole chain ends, and that records say that some of it is missing. */
export function endOf({ head, gaps, verified, pruned }: ChainOutcome): string {
  const first = head.seq - verified + 1;
  const begin =
    pruned === undefined
      ? ''
      : `from record ${first}; earlier records were pruned on ${pruned.timestamp.slice(0, 10)}; `;
  return `${begin}the chain ends at ${head.hash}${mentionOf(gaps)}`;
}

function mentionOf(gaps: number): string {
  if (gaps === 0) return '';
  return gaps === 1 ? '; one record reports a gap' : `; ${gaps} records report gaps`;
}
