// The vectors at hand, by the digest of their definitions. Their length is that of the model as it answered last.
import { createVectorTable, type SimilarityOf, toUnit, type VectorTable } from '@portico/search';

export interface KnownVectors {
  size(): number;
  has(digest: string): boolean;
  /** Vectors of another length than the one to go by are left out. */
  put(digest: string, vector: Float32Array): void;
  /** Takes the length of a fresh vector as the one to go by; what is of another one is dropped. Whether that happened. */
  adopt(dimensions: number): boolean;
  keep(isWanted: (digest: string) => boolean): void;
  /** Undefined for a vector that cannot be compared with these. */
  similarityTo(vector: Float32Array): SimilarityOf | undefined;
}

export function createKnownVectors(): KnownVectors {
  let table: VectorTable | undefined;
  return {
    size: () => table?.size ?? 0,
    has: (digest) => table?.has(digest) ?? false,
    put(digest, vector) {
      if (vector.length === 0) return;
      table ??= createVectorTable(vector.length);
      if (vector.length === table.dimensions) table.put(digest, vector);
    },
    adopt(dimensions) {
      const isOther = table !== undefined && table.dimensions !== dimensions;
      if (table === undefined || isOther) table = createVectorTable(dimensions);
      return isOther;
    },
    keep: (isWanted) => table?.keep(isWanted),
    similarityTo(vector) {
      const compared = table;
      if (compared === undefined || compared.dimensions !== vector.length) return undefined;
      const unit = toUnit(vector);
      return (digest) => compared.similarity(digest, unit);
    },
  };
}
