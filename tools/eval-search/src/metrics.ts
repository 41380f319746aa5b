// Retrieval metrics over graded answers: recall@5, MRR, nDCG@10, as defined in mcpproxy-go's bench/metrics.go.
// Never runs a search; it only judges lists of ids.

/** Grades by id: 2 the tool meant, 1 acceptable, 0 a marked hard negative. An id that is not named is irrelevant. */
export type Grades = Readonly<Record<string, number>>;

export interface Metrics {
  readonly recallAt5: number;
  readonly mrr: number;
  readonly ndcgAt10: number;
}

const ANSWER_LENGTH = 10;
const RECALL_LENGTH = 5;

/** Judges one ranked answer, best first. Ids past the tenth and repeated ids do not count. */
export function judge(rankedIds: readonly string[], grades: Grades): Metrics {
  const answer = [...new Set(rankedIds)].slice(0, ANSWER_LENGTH);
  const relevant = Object.keys(grades).filter((id) => (grades[id] ?? 0) >= 1);
  const found = answer.slice(0, RECALL_LENGTH).filter((id) => relevant.includes(id));
  const firstRelevant = answer.findIndex((id) => relevant.includes(id));
  const ideal = discountedGain(Object.values(grades).sort((a, b) => b - a));
  return {
    recallAt5: relevant.length === 0 ? 0 : found.length / relevant.length,
    mrr: firstRelevant === -1 ? 0 : 1 / (firstRelevant + 1),
    ndcgAt10: ideal === 0 ? 0 : discountedGain(answer.map((id) => grades[id] ?? 0)) / ideal,
  };
}

/** The mean of each figure over the queries; zeros for none. */
export function meanMetrics(judged: readonly Metrics[]): Metrics {
  const mean = (pick: (metrics: Metrics) => number) =>
    judged.length === 0 ? 0 : judged.reduce((sum, metrics) => sum + pick(metrics), 0) / judged.length;
  return {
    recallAt5: mean((metrics) => metrics.recallAt5),
    mrr: mean((metrics) => metrics.mrr),
    ndcgAt10: mean((metrics) => metrics.ndcgAt10),
  };
}

function discountedGain(grades: readonly number[]): number {
  return grades.slice(0, ANSWER_LENGTH).reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);
}
