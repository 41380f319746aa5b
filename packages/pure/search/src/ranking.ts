// The ranking formula and every number in it. The reasons and measurements: docs/decisions/search-ranking.md.
// Never sees a document or a query, only counts.

/** BM25 saturation and length normalisation (Robertson and Zaragoza, 2009). */
const K1 = 1.2;
const B = 0.75;

/** How much one occurrence counts, by field. Names count once, in their strongest field; text occurrences add up. */
export const fieldWeights = { tool: 3, tag: 2, server: 1, summary: 1, description: 1, argumentName: 1 } as const;

/** Occurrences in one field that count. Repeating a word does not make a tool more about it, and stuffing must not pay. */
const MAX_COUNTED_OCCURRENCES = 3;

/** How often a term is taken to occur in a field that has it `count` times. */
export function countedOccurrences(count: number): number {
  return Math.min(count, MAX_COUNTED_OCCURRENCES);
}

/** Weight of a completed prefix, a corrected typo or a shortened word, relative to the word itself. */
export const APPROXIMATE_MATCH_WEIGHT = 0.5;

/** How rare a term is: BM25's inverse document frequency in the form that never turns negative. */
export function inverseDocumentFrequency(documentCount: number, size: number): number {
  return Math.log(1 + (size - documentCount + 0.5) / (documentCount + 0.5));
}

/** The factor for the frequencies of a field of this length, 1 for a field of average length. */
export function lengthFactor(length: number, averageLength: number): number {
  return averageLength === 0 ? 1 : 1 / (1 - B + (B * length) / averageLength);
}

/** The score of a weighted, length-normalised frequency: grows with it, towards a bound. */
export function saturate(frequency: number): number {
  return (frequency * (K1 + 1)) / (frequency + K1);
}

/** The bound of the score for words of these rarities. */
export function idealScore(rarities: readonly number[]): number {
  return rarities.reduce((sum, rarity) => sum + rarity, 0) * (K1 + 1);
}

/** Scores as they are compared and shown: 4 decimals. */
export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
