// Vectors in the state database. A power loss may take some back: they are computed again.
import { endianness } from 'node:os';
import type { VectorStore } from '@portico/control-plane';
import { inChunks } from './chunks.js';
import type { StateDatabase } from './database.js';

/** Digests of one statement. */
const perStatement = 500;
/** Vectors of one: a large one has 16 KiB. */
const vectorsAtATime = 100;

/** Creates the store of search vectors, by model and digest of the text. */
export function createVectorStore({ reads, write }: StateDatabase): VectorStore {
  return {
    async load(model, digests) {
      const rows = await Promise.all(
        inChunks(digests, perStatement).map((chunk) =>
          reads
            .selectFrom('search_vectors')
            .select(['digest', 'vector'])
            .where('model', '=', model)
            .where('digest', 'in', chunk)
            .execute(),
        ),
      );
      return rows.flat().map(({ digest, vector }) => ({ digest, vector: fromBytes(vector) }));
    },
    save: (model, vectors, usedAtMs) =>
      write(
        async (trx) => {
          const newest = [...new Map(vectors.map((each) => [each.digest, each])).values()]; // no row twice in a statement
          for (const chunk of inChunks(newest, vectorsAtATime)) {
            await trx
              .insertInto('search_vectors')
              .values(
                chunk.map(({ digest, vector }) => ({ model, digest, vector: toBytes(vector), used_at_ms: usedAtMs })),
              )
              .onConflict((conflict) =>
                conflict.columns(['model', 'digest']).doUpdateSet(({ ref }) => ({
                  vector: ref('excluded.vector'),
                  used_at_ms: ref('excluded.used_at_ms'),
                })),
              )
              .execute();
          }
        },
        { isLazy: true },
      ),
    touch: (model, digests, usedAtMs) =>
      write(
        async (trx) => {
          for (const chunk of inChunks(digests, perStatement)) {
            await trx
              .updateTable('search_vectors')
              .set({ used_at_ms: usedAtMs })
              .where('model', '=', model)
              .where('digest', 'in', chunk)
              .execute();
          }
        },
        { isLazy: true },
      ),
    purge: (usedBeforeMs) =>
      write(
        async (trx) => {
          await trx.deleteFrom('search_vectors').where('used_at_ms', '<', usedBeforeMs).execute();
        },
        { isLazy: true },
      ),
  };
}

/** IEEE 754, four bytes a value, the lowest first, on every machine. */
function toBytes(vector: Float32Array): Uint8Array {
  return lowestFirst(new Uint8Array(vector.slice().buffer));
}

function fromBytes(bytes: Uint8Array): Float32Array {
  return new Float32Array(lowestFirst(new Uint8Array(bytes)).buffer); // a copy starts where an array of values may
}

/** Between this machine's order and that of the database. Changes the array that it is given. */
function lowestFirst(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (endianness() === 'BE') Buffer.from(bytes.buffer).swap32();
  return bytes;
}
