// A Bloom filter over the ids of a block: says which blocks cannot hold an id, so that a lookup reads few of them.
// It holds no id. A block that may hold one is still searched.

/** Bits for each id: with eight probes, one block in 320 is searched without a match. */
const bitsPerId = 12;
const probes = 8;

/** @param ids hashes, as in the columns of a block; 0 for none */
export function createIdFilter(ids: Iterable<number>): Uint8Array {
  const distinct = new Set(ids);
  distinct.delete(0);
  const filter = new Uint8Array(Math.ceil((distinct.size * bitsPerId) / 8));
  for (const id of distinct) {
    const [first, step] = stepsOf(id);
    for (let i = 0; i < probes; i++) {
      const bit = bitAt(first, step, i, filter.length * 8);
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return filter;
}

/** False if the filter was made without the id. */
export function mayHoldId(filter: Uint8Array, id: number): boolean {
  if (filter.length === 0) return false;
  const [first, step] = stepsOf(id);
  for (let i = 0; i < probes; i++) {
    const bit = bitAt(first, step, i, filter.length * 8);
    if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** Double hashing (Kirsch and Mitzenmacher, 2006): two hashes are enough for any number of probes. */
function stepsOf(id: number): readonly [first: number, step: number] {
  const first = mixed(id);
  return [first, mixed(first ^ 0x9e3779b9) | 1];
}

function bitAt(first: number, step: number, probe: number, bits: number): number {
  return ((first + Math.imul(probe, step)) >>> 0) % bits;
}

/** The finalizer of MurmurHash3, which spreads similar hashes over all bits. */
function mixed(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
