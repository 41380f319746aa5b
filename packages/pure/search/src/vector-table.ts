// Vectors of one model by key, in one flat array of 8-bit numbers, compared by cosine.
// Never knows what a vector means. The error of a cosine by the 8 bits is below 0.01.

export interface VectorTable {
  readonly dimensions: number;
  readonly size: number;
  /** Another number whenever rows have changed their places or a key has got or lost one. */
  readonly version: number;
  has(key: string): boolean;
  /** The place of the vector under the key, -1 where there is none. */
  rowOf(key: string): number;
  /** Adds a vector, or replaces the one under the key. @throws RangeError when it has another number of dimensions */
  put(key: string, vector: Float32Array): void;
  /** Drops every vector whose key is not wanted. @param expected makes room for so many in all */
  keep(isWanted: (key: string) => boolean, expected?: number): void;
  /**
   * Compares with a vector of length 1.
   * @throws RangeError when it has another number of dimensions
   */
  comparedWith(unit: Float32Array): Comparison;
}

export interface Comparison {
  /** Cosines with the vectors at these places, NaN for -1. @param leading how many of the dimensions count */
  similarities(rows: Int32Array, leading?: number): Float32Array;
}

const firstCapacity = 64;
/** What the largest number of a vector becomes in 8 bits. */
const rowLevels = 127;
/** The same of a query: sums of 16,384 products of both stay below 2^31. */
const queryLevels = 1_016;

/**
 * Creates a table of vectors by key, quantized to 8 bits and compared by cosine.
 * @param capacity vectors that there is room for before it has to grow
 */
export function createVectorTable(dimensions: number, capacity = firstCapacity): VectorTable {
  let places = new Map<string, number>();
  let values = new Int8Array(capacity * dimensions);
  let scales = new Float32Array(capacity);
  let version = 0;

  const placeFor = (key: string): number => {
    const known = places.get(key);
    if (known !== undefined) return known;
    const row = places.size;
    if (row >= scales.length) {
      const larger = Math.max(firstCapacity, Math.ceil(scales.length * 1.5));
      values = grown(values, new Int8Array(larger * dimensions));
      scales = grown(scales, new Float32Array(larger));
    }
    places.set(key, row);
    version += 1;
    return row;
  };

  return {
    dimensions,
    get size() {
      return places.size;
    },
    get version() {
      return version;
    },
    has: (key) => places.has(key),
    rowOf: (key) => places.get(key) ?? -1,
    put(key, vector) {
      requireLength(vector, dimensions);
      const row = placeFor(key); // may replace the arrays
      const unit = toUnit(vector);
      const scale = largestOf(unit) / rowLevels;
      scales[row] = scale;
      for (let at = 0; at < dimensions; at += 1) {
        values[row * dimensions + at] = scale === 0 ? 0 : Math.round((unit[at] ?? 0) / scale);
      }
    },
    keep(isWanted, expected = 0) {
      const wanted = [...places].filter(([key]) => isWanted(key));
      if (wanted.length === places.size && expected <= scales.length) return;
      const room = Math.max(wanted.length, expected, firstCapacity);
      const [keptValues, keptScales] = [new Int8Array(room * dimensions), new Float32Array(room)];
      for (const [place, [, row]] of wanted.entries()) {
        keptValues.set(values.subarray(row * dimensions, (row + 1) * dimensions), place * dimensions);
        keptScales[place] = scales[row] ?? 0;
      }
      places = new Map(wanted.map(([key], place) => [key, place]));
      [values, scales] = [keptValues, keptScales];
      version += 1;
    },
    comparedWith(unit) {
      requireLength(unit, dimensions);
      const scale = largestOf(unit) / queryLevels;
      const query = Int16Array.from(unit, (value) => (scale === 0 ? 0 : Math.round(value / scale)));
      return {
        similarities(rows, leading = dimensions) {
          const counted = Math.min(leading, dimensions);
          const found = new Float32Array(rows.length);
          for (let at = 0; at < rows.length; at += 1) {
            const row = rows[at] ?? -1;
            found[at] =
              row < 0 ? Number.NaN : product(values, row * dimensions, query, counted) * (scales[row] ?? 0) * scale;
          }
          return found;
        },
      };
    },
  };
}

/** The vector at length 1, so that a product of two is their cosine. One without a direction stays zero: it is like nothing. */
export function toUnit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  return length === 0 ? vector : vector.map((value) => value / length);
}

function largestOf(vector: Float32Array): number {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return largest;
}

function grown<T extends Int8Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** In whole numbers, so that the sum is the same in any order and on any machine. */
function product(values: Int8Array, start: number, query: Int16Array, count: number): number {
  let sum = 0;
  // Both arrays have a number at each of these places.
  for (let at = 0; at < count; at += 1) sum = (sum + Math.imul(values[start + at]!, query[at]!)) | 0;
  return sum;
}

function requireLength(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) throw new RangeError(`${vector.length} dimensions where ${dimensions} are kept`);
}
