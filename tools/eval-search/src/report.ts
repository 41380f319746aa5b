// Results of `npm run eval:search`, as the tables of docs/search.md: every set by every ranker, with intervals. Never
// chooses anything: it measures the product.
import type { SearchHit } from '@portico/search';
import { isGoodAnswer, type Meaning, type SearchIndex } from '@portico/search';
import type { EvaluationSet, GradedQuery } from './dataset.js';
import { judge, type Metrics, meanMetrics } from './metrics.js';

/** The ten best ids for a question, best first. */
export type Ranker = (query: GradedQuery) => readonly string[];

/** Questions of so many words or fewer are short. */
const SHORT_WORDS = 12;
const RESAMPLES = 1_000;

/** One line per set and ranker. */
export function rankingTable(set: EvaluationSet, rankers: ReadonlyMap<string, Ranker>): readonly string[] {
  const isShort = ({ text }: GradedQuery) => text.split(/\s+/).length <= SHORT_WORDS;
  return [...rankers].map(([name, ranker]) => {
    const judged = set.queries.map((query) => ({
      isShort: isShort(query),
      metrics: judge(ranker(query), query.relevant),
    }));
    const all = judged.map(({ metrics }) => metrics);
    const recallOf = (wanted: boolean) => {
      const some = judged.filter((one) => one.isShort === wanted).map(({ metrics }) => metrics);
      return some.length === 0 ? '' : `${toText(meanMetrics(some).recallAt5)} (${some.length})`;
    };
    const { recallAt5, mrr, ndcgAt10 } = meanMetrics(all);
    const interval = bootstrap(all).map(toText).join(' to ');
    const cells = [
      set.name,
      name,
      toText(recallAt5),
      interval,
      toText(mrr),
      toText(ndcgAt10),
      recallOf(true),
      recallOf(false),
    ];
    return `| ${cells.join(' | ')} |`;
  });
}

/** How often an answer is called good: with the right tools, and when they are hidden. */
export function offerRow(
  set: EvaluationSet,
  index: SearchIndex,
  meaningOf: (text: string) => Meaning | undefined,
): string {
  let [found, lost, offered, length, lexicalLength] = [0, 0, 0, 0, 0];
  for (const { text, relevant } of set.queries) {
    const right = new Set(Object.keys(relevant).filter((id) => (relevant[id] ?? 0) >= 1));
    const meaning = meaningOf(text);
    const hits = index.search({ text, limit: 8 }, meaning);
    const without = index.search({ text, limit: 8, isVisible: (id) => !right.has(id) }, meaning);
    length += hits.length;
    lexicalLength += index.search({ text, limit: 8 }).length;
    if (isGoodAnswer(without, meaning)) offered += 1;
    if (!hits.some(({ id }: SearchHit) => right.has(id))) continue;
    found += 1;
    if (!isGoodAnswer(hits, meaning)) lost += 1;
  }
  const percent = (count: number, of: number) => `${((100 * count) / of).toFixed(1)} %`;
  const count = set.queries.length;
  const lengths = [lexicalLength / count, length / count].map((each) => each.toFixed(1));
  return `| ${[set.name, percent(lost, found), percent(offered, count), ...lengths].join(' | ')} |`;
}

/** The 2.5th and 97.5th percentiles of recall@5 over samples with replacement. */
function bootstrap(judged: readonly Metrics[]): readonly [number, number] {
  const random = createRandom(23);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let at = 0; at < judged.length; at += 1) sum += judged[Math.floor(random() * judged.length)]?.recallAt5 ?? 0;
    return sum / judged.length;
  }).sort((a, b) => a - b);
  return [means[Math.floor(0.025 * RESAMPLES)] ?? 0, means[Math.floor(0.975 * RESAMPLES)] ?? 0];
}

/** Numerical Recipes' linear congruential generator: the same samples in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function toText(share: number): string {
  return share.toFixed(3);
}
