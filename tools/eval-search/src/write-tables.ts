// Puts the tables of a run between the marks of docs/search-quality.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { LOSSES } from './offers.js';

/** Rows of each table. */
export interface Tables {
  readonly rows: readonly string[];
  readonly offers: readonly string[];
  readonly bounds: readonly string[];
  readonly curve: readonly string[];
  readonly costs: readonly string[];
  readonly chosen: readonly string[];
  readonly speed: readonly string[];
  readonly memory: readonly string[];
}

const document = new URL('../../../docs/search-quality.md', import.meta.url);
const begin = '<!-- Made by `npm run eval:search`. -->';
const end = '<!-- End of what `npm run eval:search` makes. -->';

/** @throws Error if the marks are not there */
export function writeTables(tables: Tables): void {
  const text = readFileSync(document, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/search-quality.md has no marks "${begin}" and "${end}"`);
  writeFileSync(document, `${text.slice(0, from + begin.length)}\n\n${toMarkdown(tables)}\n${text.slice(to)}`);
}

function toMarkdown({ rows, offers, bounds, curve, costs, chosen, speed, memory }: Tables): string {
  const columns = [
    '| Set | Ranker | recall@5 | 95 % interval | MRR | nDCG@10 | recall@5, up to 12 words | longer |',
    '| Set | chosen | recall@5 | MRR |',
    '| Set | right tool | `confident` | neither | `no_good_match` |',
    '| Set | `confident` from | hidden, `confident` | found, `confident` | `no_good_match` below | found, `no_good_match` |',
    `| Set | ${LOSSES.map((loss) => `${100 * loss} %`).join(' | ')} | area |`,
    '| Set | hits | bytes | tokens | bytes change | tokens change |',
    '| Tools | p50, words / both | p99, words / both |',
    '| Model | vectors | both |',
  ];
  const [ranking, weights, fits, chosenBounds, losses, answers, times, sizes] = columns.map((head) => [
    head,
    `|${'---|'.repeat(head.split(' | ').length)}`,
  ]);
  return [
    ...(ranking ?? []),
    ...rows,
    '',
    'The weight of the meaning, chosen on the other two sets:',
    '',
    ...(weights ?? []),
    ...chosen,
    '',
    'The fit that answers state, with the right tool among the hits and with it hidden from the search, with the',
    '95 % interval:',
    '',
    ...(fits ?? []),
    ...offers,
    '',
    'The same with bounds that are chosen on the other two sets: at most 10 % `confident` where the right tool is hidden, at',
    'most 2 % `no_good_match` where it is found, on each of them:',
    '',
    ...(chosenBounds ?? []),
    ...bounds,
    '',
    'Every other bound: for each share of good answers that it loses, the share of questions without their right tool that',
    'are above it. The last column is the area under that curve.',
    '',
    ...(losses ?? []),
    ...curve,
    '',
    'The mean answer before there was meaning, and now; a token is up to 6 letters, up to 3 digits, or a sign:',
    '',
    ...(answers ?? []),
    ...costs,
    '',
    'Milliseconds of a search, the fastest of 50 runs of each question, on the machine of this run:',
    '',
    ...(times ?? []),
    ...speed,
    '',
    'Memory kept for 10,000 tools, heap and buffers outside it:',
    '',
    ...(sizes ?? []),
    ...memory,
    '',
  ].join('\n');
}
