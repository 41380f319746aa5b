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
  /** Drops every vector whose key is not wanted. @param expected makes room for this many in all */
  keep(isWanted: (key: string) => boolean, expected?: number): void;
  /**
   * Compares with a vector of length 1.
   * @throws RangeError when it has another number of dimensions
   */
  comparedWith(unit: Float32Array): Comparison;
}

export interface Comparison {
  /**
   * Writes the cosines with the vectors at these places into `into`, from place `from` on; NaN for place -1.
   * @param leading how many of the dimensions count, all by default
   */
  compare(rows: Int32Array, into: Float32Array, from: number, leading?: number): void;
  /** Writes the cosines with some of these places: with `rows[position]` into `into[from + position]`, for each position. */
  compareAt(rows: Int32Array, positions: Int32Array, into: Float32Array, from: number): void;
}

const firstCapacity = 64;
/** Numbers that are multiplied at a time; rows have zeros up to a multiple of it. */
const BLOCK = 8;
/** The 8-bit value of the largest number of a vector. */
const rowLevels = 127;
/** The same of a query: sums of 16,384 products of both stay below 2^31. */
const queryLevels = 1_016;

/**
 * Creates a table of vectors by key, quantized to 8 bits and compared by cosine.
 * @param capacity vectors that there is room for before it has to grow
 */
export function createVectorTable(dimensions: number, capacity = firstCapacity): VectorTable {
  const stride = roundedUp(dimensions);
  let places = new Map<string, number>();
  let values = new Int8Array(capacity * stride);
  let scales = new Float32Array(capacity);
  let version = 0;

  const placeFor = (key: string): number => {
    const known = places.get(key);
    if (known !== undefined) return known;
    const row = places.size;
    if (row >= scales.length) {
      const larger = Math.max(firstCapacity, Math.ceil(scales.length * 1.5));
      values = grown(values, new Int8Array(larger * stride));
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
        values[row * stride + at] = scale === 0 ? 0 : Math.round((unit[at] ?? 0) / scale);
      }
    },
    keep(isWanted, expected = 0) {
      const wanted = [...places].filter(([key]) => isWanted(key));
      if (wanted.length === places.size && expected <= scales.length) return;
      const room = Math.max(wanted.length, expected, firstCapacity);
      const [keptValues, keptScales] = [new Int8Array(room * stride), new Float32Array(room)];
      for (const [place, [, row]] of wanted.entries()) {
        keptValues.set(values.subarray(row * stride, (row + 1) * stride), place * stride);
        keptScales[place] = scales[row] ?? 0;
      }
      places = new Map(wanted.map(([key], place) => [key, place]));
      [values, scales] = [keptValues, keptScales];
      version += 1;
    },
    comparedWith(unit) {
      requireLength(unit, dimensions);
      const scale = largestOf(unit) / queryLevels;
      const query = new Int16Array(stride);
      query.set(unit.map((value) => (scale === 0 ? 0 : Math.round(value / scale))));
      const compared = { values, scales, stride, query, scale }; // a table that grows gets other arrays
      return {
        compare: (rows, into, from, leading = dimensions) =>
          compareRows(compared, Math.min(stride, roundedUp(leading)), { rows, into, from }),
        compareAt(rows, positions, into, from) {
          const found = new Float32Array(positions.length);
          compareRows(compared, stride, {
            rows: positions.map((position) => rows[position] ?? -1),
            into: found,
            from: 0,
          });
          for (let at = 0; at < positions.length; at += 1) into[from + positions[at]!] = found[at]!; // of the same length
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

interface Compared {
  readonly values: Int8Array;
  readonly scales: Float32Array;
  readonly stride: number;
  readonly query: Int16Array;
  readonly scale: number;
}

interface ComparedRows {
  readonly rows: Int32Array;
  readonly into: Float32Array;
  readonly from: number;
}

/**
 * In whole numbers, so that a sum is the same in any order and on any machine. Eight products at a time take half of the
 * time, and two rows at a time a quarter less: a number of the query is read once for both.
 * @param counted numbers of a vector, a multiple of 8
 */
function compareRows({ values, scales, stride, query, scale }: Compared, counted: number, places: ComparedRows): void {
  const { rows, into, from } = places;
  for (let at = 0; at < rows.length; at += 2) {
    const row = rows[at]!; // below the length, as below: arrays have a number at each of these places
    const other = at + 1 < rows.length ? rows[at + 1]! : row;
    const start = Math.max(row, 0) * stride;
    const otherStart = Math.max(other, 0) * stride;
    let sum = 0;
    let otherSum = 0;
    for (let n = 0; n < counted; n += BLOCK) {
      const v = start + n;
      const w = otherStart + n;
      const q0 = query[n]!;
      const q1 = query[n + 1]!;
      const q2 = query[n + 2]!;
      const q3 = query[n + 3]!;
      const q4 = query[n + 4]!;
      const q5 = query[n + 5]!;
      const q6 = query[n + 6]!;
      const q7 = query[n + 7]!;
      sum =
        (sum +
          Math.imul(values[v]!, q0) +
          Math.imul(values[v + 1]!, q1) +
          Math.imul(values[v + 2]!, q2) +
          Math.imul(values[v + 3]!, q3) +
          Math.imul(values[v + 4]!, q4) +
          Math.imul(values[v + 5]!, q5) +
          Math.imul(values[v + 6]!, q6) +
          Math.imul(values[v + 7]!, q7)) |
        0;
      otherSum =
        (otherSum +
          Math.imul(values[w]!, q0) +
          Math.imul(values[w + 1]!, q1) +
          Math.imul(values[w + 2]!, q2) +
          Math.imul(values[w + 3]!, q3) +
          Math.imul(values[w + 4]!, q4) +
          Math.imul(values[w + 5]!, q5) +
          Math.imul(values[w + 6]!, q6) +
          Math.imul(values[w + 7]!, q7)) |
        0;
    }
    into[from + at] = row < 0 ? Number.NaN : sum * scales[row]! * scale;
    if (at + 1 < rows.length) into[from + at + 1] = other < 0 ? Number.NaN : otherSum * scales[other]! * scale;
  }
}

function roundedUp(count: number): number {
  return Math.ceil(count / BLOCK) * BLOCK;
}

function requireLength(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) throw new RangeError(`${vector.length} dimensions where ${dimensions} are kept`);
}
