// Results of `npm run eval:search`, as the tables of docs/search.md: every set by every ranker, with intervals. Never
// chooses anything: it measures the product.
import { evidenceOf, type Fit, fitOf, type Meaning, type SearchHit, type SearchIndex } from '@portico/search';
import type { Cost } from './answer-cost.js';
import type { EvaluationSet, GradedQuery } from './dataset.js';
import type { Latency } from './latency.js';
import { judge, type Metrics, meanMetrics } from './metrics.js';

/** The ten best ids for a question, best first. */
export type Ranker = (query: GradedQuery) => readonly string[];

/** Questions of this many words or fewer are short. */
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

interface Judged {
  /** Evidence of the best hit where a right tool is among the hits; null if the hits have no right tool. */
  readonly found: number | null;
  /** The same when the right tools are hidden; null if nothing is found. */
  readonly hidden: number | null;
  readonly foundFit: Fit;
  readonly hiddenFit: Fit;
}

const ANSWER_LENGTH = 8;

/** Each question with its right tools, and with them hidden. */
export function judgeAnswers(
  set: EvaluationSet,
  index: SearchIndex,
  meaningOf: (text: string) => Meaning | undefined,
): readonly Judged[] {
  return set.queries.map(({ text, relevant }) => {
    const right = new Set(Object.keys(relevant).filter((id) => (relevant[id] ?? 0) >= 1));
    const meaning = meaningOf(text);
    const hits = index.search({ text, limit: ANSWER_LENGTH }, meaning);
    const without = index.search({ text, limit: ANSWER_LENGTH, isVisible: (id) => !right.has(id) }, meaning);
    const best = (some: readonly SearchHit[]) => (some.length === 0 ? null : Math.max(...some.map(evidenceOf)));
    return {
      found: hits.some(({ id }) => right.has(id)) ? best(hits) : null,
      hidden: best(without),
      foundFit: fitOf(hits, meaning),
      hiddenFit: fitOf(without, meaning),
    };
  });
}

/** How often an answer says that nothing fits, or that it is confident: with the right tool found, and with it hidden. */
export function offerRow({ name }: EvaluationSet, judged: readonly Judged[]): string {
  const found = judged.filter((one) => one.found !== null);
  const share = (some: readonly Judged[], holds: (one: Judged) => boolean) =>
    percent(some.filter(holds).length / Math.max(some.length, 1));
  const cells = [
    share(found, ({ foundFit }) => foundFit === 'none'),
    share(judged, ({ hiddenFit }) => hiddenFit === 'none'),
    share(found, ({ foundFit }) => foundFit === 'confident'),
    share(judged, ({ hiddenFit }) => hiddenFit === 'confident'),
  ];
  return `| ${[name, ...cells].join(' | ')} |`;
}

/** Shares of answers with the right tool that a bound may lose. */
export const LOSSES = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5];

/** For each share lost, how many of the questions whose right tool is hidden have an answer above that bound. */
export function curveRow({ name }: EvaluationSet, judged: readonly Judged[]): string {
  const found = judged.flatMap(({ found }) => found ?? []).sort((a, b) => a - b);
  const cells = LOSSES.map((loss) => {
    const bound = found[Math.floor(loss * found.length)] ?? 0;
    return percent(judged.filter(({ hidden }) => hidden !== null && hidden >= bound).length / judged.length);
  });
  return `| ${[name, ...cells].join(' | ')} |`;
}

/** The area under that curve: how often an answer with the right tool has more evidence than one without. */
export function areaUnderCurve(judged: readonly Judged[]): string {
  const found = judged.flatMap(({ found }) => found ?? []);
  const hidden = judged.map(({ hidden }) => hidden ?? Number.NEGATIVE_INFINITY);
  let above = 0;
  for (const one of found) for (const other of hidden) above += one > other ? 1 : one === other ? 0.5 : 0;
  return (above / (found.length * hidden.length)).toFixed(2);
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

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
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
