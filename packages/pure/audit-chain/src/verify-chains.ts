// Verifies a log whose records may be of several chains, in any mixture: each chain for itself, and all of them together.
// A log without chain ids is one chain; its first record decides which of the two it is.
import { type ChainCheck, type ChainOutcome, createChainCheck, endOf } from './chain-check.js';
import { type LinkReading, readLink } from './link.js';
import { recordId } from './seal.js';
import { type ChainReport, createVerifier, noLine, type VerificationReport, type Verifier } from './verify.js';
import type { Witness } from './witness.js';

export interface LogVerifierOptions {
  /** Hash of the record that must be the last of its chain. */
  readonly expectedHash?: string | undefined;
  /** Checks the records against signed checkpoints. */
  readonly witness?: Pick<Witness, 'problemOf'> | undefined;
}

/** As that of one chain, which has a head. */
export type LogVerifier = Pick<Verifier, 'push' | 'end'>;

/** Creates a verifier of an audit log of one or several chains, fed line by line. */
export function createLogVerifier({ expectedHash, witness }: LogVerifierOptions = {}): LogVerifier {
  const noted = expectedHash === undefined ? undefined : { hash: expectedHash };
  let verifier: LogVerifier | undefined;
  return {
    push(line, instead = noLine) {
      const reading = line === null || verifier !== undefined ? undefined : readLink(line);
      const isChained = reading?.ok === true && reading.link.chain_id !== undefined;
      verifier ??= isChained
        ? createChainsVerifier(expectedHash, witness)
        : createVerifier({ expectedHead: noted, witness, mayBePruned: true });
      verifier.push(line, instead);
    },
    end: () => (verifier ?? createVerifier({ expectedHead: noted })).end(),
  };
}

interface Failure {
  readonly id: string | number | null;
  readonly details: string;
}

function createChainsVerifier(expectedHash: string | undefined, witness: LogVerifierOptions['witness']): LogVerifier {
  const checks = new Map<string, ChainCheck>();
  const firstLine = new Map<string, number>(); // at which a chain was found to be wrong
  let lines = 0;
  let strange: Failure | undefined; // the first line that is of no chain

  const checkOf = (chainId: string): ChainCheck => {
    const check = checks.get(chainId) ?? createChainCheck({ chainId, witness });
    checks.set(chainId, check);
    return check;
  };
  const push = (reading: LinkReading) => {
    lines += 1;
    const chainId = reading.ok ? reading.link.chain_id : undefined;
    if (chainId === undefined) {
      const problem = reading.ok ? 'the record belongs to no chain' : reading.problem;
      strange ??= { id: lines, details: `line ${lines}: ${problem}` };
      return;
    }
    if (!checkOf(chainId).push(reading) && !firstLine.has(chainId)) firstLine.set(chainId, lines);
  };

  return {
    push: (line, instead = noLine) => push(line === null ? { ok: false, problem: instead } : readLink(line)),
    end() {
      const outcomes = [...checks].map(([chainId, check]) => ({ chainId, outcome: check.outcome() }));
      const isReached = outcomes.some(({ outcome }) => outcome.head.hash === expectedHash);
      const [only, ...more] = outcomes;
      const cut: Failure = {
        id: only === undefined || more.length > 0 ? null : recordId(only.outcome.head.seq + 1, only.chainId),
        details: 'no chain of the log ends at the record that is expected to be the last of its chain',
      };
      const others = strange ?? (expectedHash === undefined || isReached ? undefined : cut);
      const report = toLogReport(
        outcomes
          .toSorted((a, b) => (firstLine.get(a.chainId) ?? lines + 1) - (firstLine.get(b.chainId) ?? lines + 1))
          .map(({ chainId, outcome }) => toChainReport(chainId, outcome)),
        others,
      );
      return { ...report, total_records: lines };
    },
  };
}

/** The report of one chain. */
export function toChainReport(chainId: string, outcome: ChainOutcome): ChainReport {
  const { total, verified, failure } = outcome;
  return {
    chain_id: chainId,
    is_valid: failure === undefined,
    total_records: total,
    verified_records: verified,
    first_corrupted_id: failure?.id ?? null,
    details: failure === undefined ? endOf(outcome) : `record ${failure.id}: ${failure.problem}`,
  };
}

/** Chains that are named in the details one by one. */
const maxNamed = 5;

/**
 * The report of a log from those of its chains.
 * @param others what is wrong beside the chains
 */
export function toLogReport(chains: readonly ChainReport[], others?: Failure): VerificationReport {
  const sum = (count: (chain: ChainReport) => number) => chains.reduce((total, chain) => total + count(chain), 0);
  const counts = {
    total_records: sum((chain) => chain.total_records),
    verified_records: sum((chain) => chain.verified_records),
  };
  const wrong = chains.filter((chain) => !chain.is_valid);
  const [first] = wrong;
  const is_valid = first === undefined && others === undefined;
  const named = is_valid ? chains : wrong;
  const words = [
    ...(others === undefined ? [] : [others.details]),
    ...named.slice(0, maxNamed).map(({ chain_id, details }) => `chain ${chain_id}: ${details}`),
    ...(named.length > maxNamed ? [`and ${named.length - maxNamed} more chains`] : []),
    ...(is_valid || chains.length < 2 ? [] : [`${wrong.length} of ${chains.length} chains are not valid`]),
  ];
  const first_corrupted_id = is_valid ? null : (others?.id ?? first?.first_corrupted_id ?? null);
  return { is_valid, ...counts, first_corrupted_id, details: words.join('; ') || 'there are no records', chains };
}
