// Puts the tables of a run between the marks of docs/search.md.
import { readFileSync, writeFileSync } from 'node:fs';

export interface Tables {
  readonly rows: readonly string[];
  readonly offers: readonly string[];
  readonly chosen: readonly string[];
}

const document = new URL('../../../docs/search.md', import.meta.url);
const begin = '<!-- Made by `npm run eval:search`. -->';
const end = '<!-- End of what `npm run eval:search` makes. -->';

/** @throws Error where the marks are not there */
export function writeTables(tables: Tables): void {
  const text = readFileSync(document, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/search.md has no marks "${begin}" and "${end}"`);
  writeFileSync(document, `${text.slice(0, from + begin.length)}\n\n${toMarkdown(tables)}\n${text.slice(to)}`);
}

function toMarkdown({ rows, offers, chosen }: Tables): string {
  return [
    '| Set | Ranker | recall@5 | 95 % interval | MRR | nDCG@10 | recall@5, up to 12 words | longer |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    'The weight of the meaning, chosen on the other two sets:',
    '',
    '| Set | chosen | recall@5 | MRR |',
    '|---|---|---|---|',
    ...chosen,
    '',
    'Answers that are called good, and hits in an answer of at most 8:',
    '',
    '| Set | right tool found, answer not called good | right tools hidden, answer called good | hits by words | hits by both |',
    '|---|---|---|---|---|',
    ...offers,
    '',
  ].join('\n');
}
