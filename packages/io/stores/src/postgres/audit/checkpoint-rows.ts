// The signed checkpoints of the chains in the database: a row each, written by the daemon whose chain it is.
import { checkpointLine, parseCheckpoint } from '@portico/audit-chain';
import type { Kysely } from 'kysely';
import type { CheckpointStore } from '../../audit/checkpoints/checkpoint-store.js';
import type { Sidecar } from '../../audit/checkpoints/sidecar.js';
import type { StateDatabase } from '../../database.js';
import type { Tables } from '../../tables.js';

/** The checkpoints of one chain. A row in the place of a signature was written by another program, and is replaced. */
export function createCheckpointRows(database: StateDatabase, chainId: string): CheckpointStore {
  return {
    named: { chain: chainId },
    async mend() {
      const last = await database.reads
        .selectFrom('audit_checkpoints')
        .select('line')
        .where('chain_id', '=', chainId)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return last && parseCheckpoint(last.line);
    },
    async append(checkpoint) {
      const { chain_id, seq } = checkpoint;
      const line = checkpointLine(checkpoint);
      await database.write(async (trx) => {
        await trx
          .insertInto('audit_checkpoints')
          .values({ chain_id, seq, line })
          .onConflict((conflict) => conflict.columns(['chain_id', 'seq']).doUpdateSet({ line }))
          .execute();
      });
    },
  };
}

/** The checkpoints of all chains, each from its first. */
export async function readCheckpointRows(reads: Kysely<Tables>): Promise<Sidecar> {
  const lines = await readLines(reads);
  return { lines: lines.map(parseCheckpoint), isTorn: false };
}

/** As they are kept, whether they are true or not. */
export async function* checkpointRowLines(reads: Kysely<Tables>): AsyncGenerator<string> {
  yield* await readLines(reads);
}

async function readLines(reads: Kysely<Tables>): Promise<readonly string[]> {
  const rows = await reads.selectFrom('audit_checkpoints').select('line').orderBy('chain_id').orderBy('seq').execute();
  return rows.map(({ line }) => line);
}
