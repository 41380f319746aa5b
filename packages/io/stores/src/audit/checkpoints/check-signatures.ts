// Checkpoints that were read against the keys that are trusted: which of them count, and what is wrong with the others.
import { verify } from 'node:crypto';
import {
  type CheckpointReport,
  checkpointText,
  createWitness,
  type SignedCheckpoint,
  type VerificationReport,
  type Witness,
} from '@portico/audit-chain';
import type { PublicKey } from './public-keys.js';
import type { Sidecar } from './sidecar.js';

export interface CheckedSignatures {
  readonly witness: Witness;
  /** The report with what the checkpoints say of the log, once its records were held against the witness. */
  complete(report: VerificationReport): VerificationReport;
}

/** The service's own knowledge of the checkpoints that it has signed. */
export interface SignedBefore {
  readonly seq: number;
  /** The chain, for a log of several. */
  readonly chainId?: string;
}

/** @param sidecar undefined if there is none @param signed what must be among the checkpoints */
export function checkSignatures(
  sidecar: Sidecar | undefined,
  keys: readonly PublicKey[],
  signed: SignedBefore = { seq: 0 },
): CheckedSignatures {
  const { trusted, others, problems } = sort(sidecar, keys);
  const witness = createWitness(trusted);
  return {
    witness,
    complete(report) {
      const { problems: notThere, last, recordsAfter, fitting } = witness.outcome();
      const ofChain = trusted.findLast(({ chain_id }) => signed.chainId === undefined || signed.chainId === chain_id);
      const isCut = (ofChain?.seq ?? 0) < signed.seq;
      const found = [
        ...problems,
        ...(report.is_valid ? notThere : []), // else the first wrong record has been named
        ...(isCut ? [`the service has signed record ${signed.seq}, and that checkpoint no longer exists`] : []),
      ];
      const checkpoints: CheckpointReport = {
        total: sidecar?.lines.length ?? 0,
        verified: found.length === 0 && report.is_valid ? fitting : 0,
        last_seq: last?.seq ?? null,
        last_time: last?.time ?? null,
        records_after: recordsAfter,
        details: [...found, sayHowFar(last, recordsAfter), ...sayOthers(others, sidecar)].join('; '),
      };
      return { ...report, is_valid: report.is_valid && found.length === 0, checkpoints };
    },
  };
}

interface Sorted {
  readonly trusted: readonly SignedCheckpoint[];
  /** Signed by keys that are not trusted: they say nothing. */
  readonly others: readonly SignedCheckpoint[];
  readonly problems: readonly string[];
}

function sort(sidecar: Sidecar | undefined, keys: readonly PublicKey[]): Sorted {
  const trusted: SignedCheckpoint[] = [];
  const others: SignedCheckpoint[] = [];
  const problems: string[] = [];
  const lastSeq = new Map<string, number>();
  for (const [index, checkpoint] of (sidecar?.lines ?? []).entries()) {
    const at = `checkpoint ${index + 1}`;
    if (checkpoint === undefined) {
      problems.push(`${at} is no checkpoint: the line was edited`);
      continue;
    }
    const key = keys.find(({ id }) => id === checkpoint.key);
    if (key === undefined) {
      others.push(checkpoint);
      continue;
    }
    const isOrdered = checkpoint.seq > (lastSeq.get(checkpoint.chain_id) ?? 0);
    if (!isSigned(checkpoint, key)) problems.push(`${at} has a signature that does not fit: it was changed or forged`);
    else if (!isOrdered) problems.push(`${at}, of record ${checkpoint.seq}, is repeated or out of order`);
    else trusted.push(checkpoint);
    if (isOrdered) lastSeq.set(checkpoint.chain_id, checkpoint.seq);
  }
  return { trusted, others, problems: problems.slice(0, maxNamed) };
}

/** Problems that are named one by one: more say no more. */
const maxNamed = 5;

function isSigned(checkpoint: SignedCheckpoint, { key }: PublicKey): boolean {
  return verify(null, Buffer.from(checkpointText(checkpoint)), key, Buffer.from(checkpoint.signature, 'base64'));
}

function sayHowFar(last: { readonly seq: number } | undefined, recordsAfter: number): string {
  if (last === undefined) return `no signed checkpoint covers any of the ${recordsAfter} records`;
  const words = `signed up to record ${last.seq}`;
  return recordsAfter === 0 ? words : `${words}; ${recordsAfter} records after the last signed checkpoint`;
}

function sayOthers(others: readonly SignedCheckpoint[], sidecar: Sidecar | undefined): readonly string[] {
  const ids = [...new Set(others.map(({ key }) => key))];
  return [
    ...(others.length === 0 ? [] : [`${others.length} checkpoints by other keys (${ids.join(', ')}) do not count`]),
    ...(sidecar?.isTorn === true ? ['the last line of the checkpoints is cut off and does not count'] : []),
  ];
}
