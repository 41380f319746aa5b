// The fit that answers state, with the right tool among the hits and with it hidden, and the bounds that
// cross-validation would choose for that. Never chooses for the product: its bounds are measured as they are.
import { evidenceOf, type Fit, fitOf, type Meaning, type SearchIndex } from '@portico/search';
import { bootstrap } from './bootstrap.js';
import type { EvaluationSet } from './dataset.js';

export interface Judged {
  /** Evidence of the answer if a right tool is among the hits; null without one. */
  readonly found: number | null;
  /** The same when the right tools are hidden. */
  readonly hidden: number;
  readonly foundFit: Fit;
  readonly hiddenFit: Fit;
}

/** As an agent gets that names no limit. */
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
    return {
      found: hits.some(({ id }) => right.has(id)) ? evidenceOf(hits) : null,
      hidden: evidenceOf(without),
      foundFit: fitOf(hits, meaning),
      hiddenFit: fitOf(without, meaning),
    };
  });
}

/** How often an answer has each of the three states: with the right tool found, and with it hidden. */
export function offerRows({ name }: EvaluationSet, judged: readonly Judged[]): readonly string[] {
  const found = judged.filter((one) => one.found !== null);
  const row = (what: string, fits: readonly Fit[]) => {
    const cells = (['confident', 'possible', 'none'] as const).map((fit) => {
      const values = fits.map((one) => (one === fit ? 1 : 0));
      const [least, most] = bootstrap(values);
      return `${percent(mean(values))} (${percent(least)} to ${percent(most)})`;
    });
    return `| ${[name, what, ...cells].join(' | ')} |`;
  };
  return [
    row(
      'found',
      found.map(({ foundFit }) => foundFit),
    ),
    row(
      'hidden',
      judged.map(({ hiddenFit }) => hiddenFit),
    ),
  ];
}

/** Shares that the bounds are chosen for: well below what is accepted, 20 % and 5 %, so that other questions keep that. */
const MOST_CONFIDENT = 0.1;
const MOST_LOST = 0.02;

/** One line per set: the bounds that hold on each of the other sets, and what they give on this one. */
export function crossValidateBounds(
  sets: readonly { readonly name: string; readonly judged: readonly Judged[] }[],
): readonly string[] {
  return sets.map(({ name, judged }, held) => {
    const others = sets.filter((_, at) => at !== held).map((set) => set.judged);
    const confident = Math.max(...others.map((some) => quantile(hiddenOf(some), 1 - MOST_CONFIDENT)));
    const least = Math.min(...others.map((some) => quantile(foundOf(some), MOST_LOST)));
    const share = (values: readonly number[], holds: (value: number) => boolean) =>
      percent(mean(values.map((value) => (holds(value) ? 1 : 0))));
    const cells = [
      confident.toFixed(2),
      share(hiddenOf(judged), (value) => value > confident),
      share(foundOf(judged), (value) => value > confident),
      least.toFixed(2),
      share(foundOf(judged), (value) => value < least),
    ];
    return `| ${[name, ...cells].join(' | ')} |`;
  });
}

const foundOf = (judged: readonly Judged[]) => judged.flatMap(({ found }) => found ?? []);
const hiddenOf = (judged: readonly Judged[]) => judged.map(({ hidden }) => hidden);

/** Shares of answers with the right tool that a bound may lose. */
export const LOSSES = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5];

/**
 * For each share lost, how many of the questions whose right tool is hidden have an answer above that bound; then the area
 * under that curve: how often an answer with the right tool has more evidence than one without.
 */
export function curveRow({ name }: EvaluationSet, judged: readonly Judged[]): string {
  const [found, hidden] = [foundOf(judged), hiddenOf(judged)];
  const cells = LOSSES.map((loss) => {
    const bound = quantile(found, loss);
    return percent(mean(hidden.map((value) => (value >= bound ? 1 : 0))));
  });
  const above = found.map((one) => mean(hidden.map((other) => (one > other ? 1 : one === other ? 0.5 : 0))));
  return `| ${[name, ...cells, mean(above).toFixed(2)].join(' | ')} |`;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
