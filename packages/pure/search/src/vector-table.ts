// Vectors of one model by key, in one flat array, compared exactly by cosine.
// Never knows what a vector stands for, and never approximates: a catalog is small enough to look at all of it.

export interface VectorTable {
  readonly dimensions: number;
  readonly size: number;
  has(key: string): boolean;
  /** Adds a vector, or replaces the one under the key. @throws RangeError when it has another number of dimensions */
  put(key: string, vector: Float32Array): void;
  /** Drops every vector whose key is not wanted. */
  keep(isWanted: (key: string) => boolean): void;
  /** Cosine of the vector under the key and a vector of length 1; undefined where there is none under the key. */
  similarity(key: string, unit: Float32Array): number | undefined;
}

const firstCapacity = 64;

export function createVectorTable(dimensions: number): VectorTable {
  let rows = new Map<string, number>();
  let values = new Float32Array(firstCapacity * dimensions);

  const placeFor = (key: string): number => {
    const known = rows.get(key);
    if (known !== undefined) return known;
    const row = rows.size;
    if ((row + 1) * dimensions > values.length) {
      const larger = new Float32Array(values.length * 2);
      larger.set(values);
      values = larger;
    }
    rows.set(key, row);
    return row;
  };

  return {
    dimensions,
    get size() {
      return rows.size;
    },
    has: (key) => rows.has(key),
    put(key, vector) {
      requireLength(vector, dimensions);
      const row = placeFor(key); // may replace the array
      values.set(toUnit(vector), row * dimensions);
    },
    keep(isWanted) {
      const wanted = [...rows].filter(([key]) => isWanted(key));
      if (wanted.length === rows.size) return;
      const kept = new Float32Array(Math.max(wanted.length, firstCapacity) * dimensions);
      for (const [place, [, row]] of wanted.entries()) {
        kept.set(values.subarray(row * dimensions, (row + 1) * dimensions), place * dimensions);
      }
      rows = new Map(wanted.map(([key], place) => [key, place]));
      values = kept;
    },
    similarity(key, unit) {
      const row = rows.get(key);
      if (row === undefined) return undefined;
      requireLength(unit, dimensions);
      return dot(values, row * dimensions, unit);
    },
  };
}

/** The vector at length 1, so that a product of two is their cosine. One without a direction stays zero: it is like nothing. */
export function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, 0, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

function dot(values: Float32Array, start: number, other: Float32Array): number {
  let sum = 0;
  // Both have as many values as the table has dimensions.
  for (let at = 0; at < other.length; at += 1) sum += values[start + at]! * other[at]!;
  return sum;
}

function requireLength(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) throw new RangeError(`${vector.length} dimensions where ${dimensions} are kept`);
}
