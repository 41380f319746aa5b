// Selects the entries that the meaning finds: those that stand out by their place between the average and the nearest entry.
// Nothing is near by itself: every model spreads its similarities differently, so that only their order and spread count.
// The reasons and measurements: docs/decisions/semantic-search.md.
import { passesFilters } from './find-hits.js';
import type { Meaning, SearchQuery } from './search-document.js';
import type { TermIndex } from './term-index.js';
import { createTopHits } from './top-hits.js';

/** The meaning by itself names no more entries than this. */
export const MAX_SEMANTIC_HITS = 10;

/** How much of the way from the average entry to the nearest one an entry must have come to be a hit by its meaning alone. */
export const SIMILARITY_SHARE = 0.5;

/** Larger catalogs are looked through roughly first, and the nearest of that exactly. */
const MAX_EXACT = 2_048;

/** Differences below this come from rounding. */
const ROUNDING = 1e-6;

export interface Nearness {
  /** How far the cosine of the nearest entry is above the average one. */
  readonly spread: number;
  /** Document numbers of what is a hit by its meaning. */
  readonly hits: ReadonlySet<number>;
  /** 0 for the average entry and anything farther, 1 for the nearest. @param number of a document */
  share(number: number): number;
  /** Cosine; null without a vector. @param number of a document */
  similarity(number: number): number | null;
  /** How far the cosine is above the average one of the others; null without a vector. @param number of a document */
  above(number: number): number | null;
}

/** Undefined if no entry has a vector, or none stands out. */
export function findNear(index: TermIndex, query: SearchQuery, meaning: Meaning): Nearness | undefined {
  const similarities = compareAll(index, meaning);
  const { mean, best, count } = spreadOf(index, query, similarities);
  const spread = best - mean;
  if (!(best > 0 && spread > ROUNDING)) return undefined;
  const similarity = (number: number) => {
    const found = similarities[number] ?? Number.NaN;
    return Number.isNaN(found) ? null : found;
  };
  return {
    hits: standingOut(index, query, similarities, mean + SIMILARITY_SHARE * spread - ROUNDING),
    spread,
    share(number) {
      const similarity = similarities[number]!; // one per document
      return similarity > mean ? Math.min(1, (similarity - mean) / spread) : 0; // false for NaN
    },
    similarity,
    above(number) {
      const found = similarity(number);
      return found === null ? null : ((found - mean) * count) / (count - 1); // a spread has two entries at least
    },
  };
}

function standingOut(
  index: TermIndex,
  query: SearchQuery,
  similarities: Float32Array,
  floor: number,
): ReadonlySet<number> {
  const least = Math.max(floor, Number.MIN_VALUE);
  const top = createTopHits<number>(MAX_SEMANTIC_HITS, () => true);
  for (const [{ documents }, base] of index.bases) {
    for (let position = 0; position < documents.length; position += 1) {
      const similarity = similarities[base + position]!; // one per document
      if (!(similarity >= least)) continue; // as for NaN
      const document = documents[position]!; // below the length
      if (passesFilters(document, query)) top.offer(document.id, similarity, base + position);
    }
  }
  return new Set(top.list().map(({ item }) => item));
}

/** By document number. */
function compareAll(index: TermIndex, meaning: Meaning): Float32Array {
  const similarities = new Float32Array(index.size);
  const isLarge = index.size > MAX_EXACT;
  for (const [{ documents }, base] of index.bases) meaning.compare(documents, similarities, base, isLarge);
  if (isLarge) lookCloser(index, meaning, similarities);
  return similarities;
}

/** How many of the roughly nearest are compared exactly. */
const CLOSER = 1_024;

function lookCloser(index: TermIndex, meaning: Meaning, similarities: Float32Array): void {
  const floor = floorOf(similarities, CLOSER);
  const near = new Int32Array(index.size); // positions, of one segment after the other
  for (const [{ documents }, base] of index.bases) {
    let count = 0;
    for (let position = 0; position < documents.length; position += 1) {
      if (similarities[base + position]! >= floor) near[count++] = position; // one per document
    }
    if (count > 0) meaning.compareAt(documents, near.subarray(0, count), similarities, base);
  }
}

const STEPS = 1_024;

/** The value that about `count` of them reach, by a histogram. */
function floorOf(values: Float32Array, count: number): number {
  const counts = new Uint32Array(STEPS);
  for (let at = 0; at < values.length; at += 1) {
    const step = (((values[at]! + 1) / 2) * STEPS) | 0; // 0 for NaN, with the farthest
    counts[step < 0 ? 0 : Math.min(step, STEPS - 1)]! += 1;
  }
  let reached = 0;
  for (let step = STEPS - 1; step >= 0; step -= 1) {
    reached += counts[step]!; // below the length
    if (reached >= count) return (step / STEPS) * 2 - 1;
  }
  return -1;
}

interface Spread {
  readonly mean: number;
  readonly best: number;
  /** Number of entries with a vector. */
  readonly count: number;
}

/** The spread over all entries that the searcher may see: hidden entries must not influence the shown ones. */
function spreadOf(index: TermIndex, { isVisible }: SearchQuery, similarities: Float32Array): Spread {
  let [sum, count, best] = [0, 0, Number.NEGATIVE_INFINITY];
  for (const [{ documents }, base] of index.bases) {
    for (let position = 0; position < documents.length; position += 1) {
      const similarity = similarities[base + position]!; // one per document
      if (Number.isNaN(similarity)) continue;
      if (isVisible !== undefined && !isVisible(documents[position]!.id)) continue; // below the length
      sum += similarity;
      count += 1;
      if (similarity > best) best = similarity;
    }
  }
  return { mean: sum / Math.max(count, 1), best, count };
}
