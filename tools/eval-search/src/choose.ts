// Cross-validation of the one number of the fusion: chosen on two sets, measured on the third.
import { createSearchIndex } from '@portico/search';
import type { EvaluationSet } from './dataset.js';
import { evaluate } from './evaluate.js';
import type { Metrics } from './metrics.js';
import { type Embed, embedData, type Traits } from './semantic.js';

const candidates = [1, 2, 3, 4, 5, 6, 8, 10];

/** One line per set: the value that is best on the other sets, and what it gives on this one. */
export async function crossValidate(
  sets: readonly EvaluationSet[],
  embed: Embed,
  traits: Traits,
): Promise<readonly string[]> {
  const measured = await Promise.all(
    sets.map(async ({ queries, documents }) => {
      const index = createSearchIndex(documents);
      const texts = queries.map(({ text }) => text);
      const results: Metrics[] = [];
      for (const trust of candidates) {
        results.push(evaluate(index, queries, await embedData(embed, documents, texts, { ...traits, trust })));
      }
      return results;
    }),
  );
  return sets.map(({ name }, held) => {
    const gain = (at: number) =>
      measured.reduce(
        (sum, results, set) => sum + (set === held ? 0 : (results[at]?.recallAt5 ?? 0) + (results[at]?.mrr ?? 0)),
        0,
      );
    const best = candidates.map((_, at) => at).reduce((a, b) => (gain(b) > gain(a) ? b : a));
    const { recallAt5 = 0, mrr = 0 } = measured[held]?.[best] ?? {};
    return `| ${name} | ${candidates[best]} | ${recallAt5.toFixed(3)} | ${mrr.toFixed(3)} |`;
  });
}
