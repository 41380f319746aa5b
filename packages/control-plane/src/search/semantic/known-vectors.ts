// The vectors in memory, by the digest of their definitions. Their length is that of the model's last answer.
import { createVectorTable, type Meaning, type SearchDocument, toUnit, type VectorTable } from '@portico/search';

export interface KnownVectors {
  size(): number;
  has(digest: string): boolean;
  /** Vectors of another length than the current one are left out. */
  put(digest: string, vector: Float32Array): void;
  /**
   * Makes the length of a fresh vector the current one; vectors of another length are dropped. Returns whether that
   * happened.
   */
  adopt(dimensions: number): boolean;
  /** Drops the rest. @param expected how many vectors there will be, where that is known: room is made for them at once */
  keep(isWanted: (digest: string) => boolean, expected?: number): void;
  /** The definitions near this vector; undefined if it cannot be compared with these. */
  meaningOf(vector: Float32Array): Omit<Meaning, 'nearestPhrase'> | undefined;
}

/** Where the vectors of a list of documents are, as long as the table has not changed. */
interface Rows {
  readonly table: VectorTable;
  readonly version: number;
  readonly rows: Int32Array;
}

export interface ModelTraits {
  /** How many of a vector's first numbers are enough for an estimate; all by default. */
  readonly leadingDimensions?: number;
  /** As in `Meaning`. */
  readonly trust?: number;
}

export function createKnownVectors({ leadingDimensions, trust }: ModelTraits = {}): KnownVectors {
  let table: VectorTable | undefined;
  let capacity: number | undefined;
  const rowsOfLists = new WeakMap<readonly SearchDocument[], Rows>();

  const rowsOf = (documents: readonly SearchDocument[], compared: VectorTable): Int32Array => {
    const kept = rowsOfLists.get(documents);
    if (kept?.table === compared && kept.version === compared.version) return kept.rows;
    const rows = Int32Array.from(documents, ({ digest }) => (digest === undefined ? -1 : compared.rowOf(digest)));
    rowsOfLists.set(documents, { table: compared, version: compared.version, rows });
    return rows;
  };

  return {
    size: () => table?.size ?? 0,
    has: (digest) => table?.has(digest) ?? false,
    put(digest, vector) {
      if (vector.length === 0) return;
      table ??= createVectorTable(vector.length, capacity);
      if (vector.length === table.dimensions) table.put(digest, vector);
    },
    adopt(dimensions) {
      const isOther = table !== undefined && table.dimensions !== dimensions;
      if (table === undefined || isOther) table = createVectorTable(dimensions);
      return isOther;
    },
    keep(isWanted, expected) {
      capacity = expected;
      table?.keep(isWanted, expected);
    },
    meaningOf(vector) {
      const compared = table;
      if (compared === undefined || compared.dimensions !== vector.length) return undefined;
      const comparison = compared.comparedWith(toUnit(vector));
      return {
        trust,
        compare: (documents, into, from, isRough) =>
          comparison.compare(rowsOf(documents, compared), into, from, isRough ? leadingDimensions : undefined),
        compareAt: (documents, positions, into, from) =>
          comparison.compareAt(rowsOf(documents, compared), positions, into, from),
      };
    },
  };
}
