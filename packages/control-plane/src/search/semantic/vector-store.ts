// The port to where vectors are kept, so that a restart computes none again.

export interface StoredVector {
  /** Digest of the definition that the vector was computed from. */
  readonly digest: string;
  readonly vector: Float32Array;
}

export interface VectorStore {
  /** The stored vectors of these definitions, in any order. @param model which one the vectors are of */
  load(model: string, digests: readonly string[]): Promise<readonly StoredVector[]>;
  /** Keeps vectors, in place of those that are there. */
  save(model: string, vectors: readonly StoredVector[], nowMs: number): Promise<void>;
  /** Notes that these are in use. */
  touch(model: string, digests: readonly string[], nowMs: number): Promise<void>;
  /** Removes what was last in use before then. */
  purge(usedBeforeMs: number): Promise<void>;
}

interface Kept extends StoredVector {
  readonly model: string;
  readonly usedAtMs: number;
}

/** Lives as long as the process. */
export function createMemoryVectorStore(): VectorStore {
  const kept = new Map<string, Kept>();
  return {
    load: async (model, digests) => digests.flatMap((digest) => kept.get(keyOf(model, digest)) ?? []).map(toStored),
    async save(model, vectors, usedAtMs) {
      for (const { digest, vector } of vectors) {
        kept.set(keyOf(model, digest), { model, digest, vector: vector.slice(), usedAtMs });
      }
    },
    async touch(model, digests, usedAtMs) {
      for (const digest of digests) {
        const key = keyOf(model, digest);
        const found = kept.get(key);
        if (found !== undefined) kept.set(key, { ...found, usedAtMs });
      }
    },
    async purge(usedBeforeMs) {
      for (const [key, { usedAtMs }] of kept) if (usedAtMs < usedBeforeMs) kept.delete(key);
    },
  };
}

function toStored({ digest, vector }: Kept): StoredVector {
  return { digest, vector: vector.slice() };
}

function keyOf(model: string, digest: string): string {
  return JSON.stringify([model, digest]);
}
