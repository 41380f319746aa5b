// Results of `npm run eval:search`, as the tables of docs/search-quality.md: every set by every ranker, with intervals. Never
// chooses anything: it measures the product.
import type { Cost } from './answer-cost.js';
import { bootstrap } from './bootstrap.js';
import type { EvaluationSet, GradedQuery } from './dataset.js';
import type { Latency } from './latency.js';
import { judge, meanMetrics } from './metrics.js';

/** The ten best ids for a question, best first. */
export type Ranker = (query: GradedQuery) => readonly string[];

/** Questions of this many words or fewer are short. */
const SHORT_WORDS = 12;

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
    const interval = bootstrap(all.map(({ recallAt5 }) => recallAt5))
      .map(toText)
      .join(' to ');
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

/** The mean answer by words, as it was before there was meaning, and by both. */
export function costRow({ name }: EvaluationSet, before: Cost, now: Cost): string {
  const change = (pick: (cost: Cost) => number) => `${((100 * pick(now)) / pick(before) - 100).toFixed(0)} %`;
  const cells = [
    `${before.hits.toFixed(1)} / ${now.hits.toFixed(1)}`,
    `${before.bytes.toFixed(0)} / ${now.bytes.toFixed(0)}`,
    `${before.tokens.toFixed(0)} / ${now.tokens.toFixed(0)}`,
    change(({ bytes }) => bytes),
    change(({ tokens }) => tokens),
  ];
  return `| ${[name, ...cells].join(' | ')} |`;
}

/** Quietest run of each question, so that other work on the machine counts little. */
export function speedRow(words: Latency, both: Latency): string {
  const times = (pick: (latency: Latency) => number) =>
    `${pick(words).toFixed(2)} / ${pick(both).toFixed(2)} (x ${(pick(both) / pick(words)).toFixed(1)})`;
  const cells = [
    words.tools.toLocaleString('en'),
    times(({ quietP50Ms }) => quietP50Ms),
    times(({ quietP99Ms }) => quietP99Ms),
  ];
  return `| ${cells.join(' | ')} |`;
}

function toText(share: number): string {
  return share.toFixed(3);
}
