// Holds the records of a log against signed checkpoints whose signatures have been checked: a record that is not the one
// that was signed, and a log that ends before one, are wrong. It counts what no checkpoint covers.
import type { Checkpoint } from './checkpoint.js';
import type { Head } from './seal.js';

export interface WitnessedLink extends Head {
  readonly chain_id?: string | undefined;
}

export interface Witness {
  /** The problem of a record that has its place in the chain; undefined if there is none. */
  problemOf(link: WitnessedLink): string | undefined;
  /**
   * The result for all chains, once their records were checked: signed records that are missing, and how far signatures
   * go.
   */
  outcome(): WitnessOutcome;
}

export interface WitnessOutcome {
  readonly problems: readonly string[];
  /** The latest checkpoint that fits; undefined if there is none. */
  readonly last: Checkpoint | undefined;
  /** Records that follow the last checkpoint of their chain. */
  readonly recordsAfter: number;
  /** Checkpoints that fit. */
  readonly fitting: number;
}

/**
 * Creates the comparison of a log with signed checkpoints.
 * @param checkpoints signed by a key that is trusted, in their order
 */
export function createWitness(checkpoints: readonly Checkpoint[]): Witness {
  const chains = new Map<string, Map<number, Checkpoint>>();
  for (const checkpoint of checkpoints) {
    const ofChain = chains.get(checkpoint.chain_id) ?? new Map<number, Checkpoint>();
    chains.set(checkpoint.chain_id, ofChain.set(checkpoint.seq, checkpoint));
  }
  let fileChain: string | undefined;
  let firstSeq = 1; // of a log in a file: records before it were pruned
  const after = new Map<string, number>(); // records since the last checkpoint, by chain
  const fitting = new Set<Checkpoint>();

  const chainOf = ({ chain_id, seq, hash }: WitnessedLink): string | undefined => {
    if (chain_id !== undefined) return chain_id;
    if (fileChain !== undefined) return fileChain;
    // If its first record was pruned, the signed text still has to fit: each hash covers all records before it.
    fileChain = seq === 1 ? hash : (checkpoints.at(-1)?.chain_id ?? '');
    firstSeq = seq;
    return fileChain;
  };

  return {
    problemOf(link) {
      const chain = chainOf(link) ?? '';
      const checkpoint = chains.get(chain)?.get(link.seq);
      after.set(chain, checkpoint === undefined ? (after.get(chain) ?? 0) + 1 : 0);
      if (checkpoint === undefined) return undefined;
      if (checkpoint.hash !== link.hash) return 'its hash is not the signed one: it or a record before it was replaced';
      fitting.add(checkpoint);
      return undefined;
    },
    outcome() {
      const strange = [...chains.keys()].filter((chain) => !after.has(chain));
      const isPruned = ({ chain_id, seq }: Checkpoint) => chain_id === fileChain && seq < firstSeq;
      const missing = checkpoints.find(
        (checkpoint) => after.has(checkpoint.chain_id) && !fitting.has(checkpoint) && !isPruned(checkpoint),
      );
      return {
        problems: [
          ...strange.map(
            (chain) => `checkpoints were signed for another log, or all records were removed: the chain ${chain}`,
          ),
          ...(missing === undefined ? [] : [`record ${missing.seq} was signed and is not in the log as it was signed`]),
        ],
        last: checkpoints.findLast((checkpoint) => fitting.has(checkpoint)),
        recordsAfter: [...after.values()].reduce((sum, count) => sum + count, 0),
        fitting: fitting.size,
      };
    },
  };
}
