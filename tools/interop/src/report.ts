// The tables, as docs/interop.md has them between its two marks.
import { type Cell, comparisonRules } from './compare.js';
import { steps } from './run-client.js';
import type { Row } from './try-clients.js';

const transports = { stdio: 'stdio', http: 'HTTP' } as const;

/** Rows of one table share their notes, which stand below it. */
export function clientTable(rows: readonly Row[]): readonly string[] {
  const notes: string[] = [];
  const noteOf = (text: string) => {
    if (!notes.includes(text)) notes.push(text);
    return notes.indexOf(text) + 1;
  };
  const lines = rows.map(({ client, route, cells }) => {
    const shown = steps.map((step) => cellText(cells.get(step), noteOf));
    return `| ${client.title} ${client.version}, ${transports[route]} | ${shown.join(' | ')} |`;
  });
  return [
    `| Client | ${steps.join(' | ')} |`,
    `|---|${steps.map(() => '---|').join('')}`,
    ...lines,
    '',
    ...notes.map((note, index) => `${index + 1}. ${note}`),
  ];
}

function cellText(cell: Cell | undefined, noteOf: (text: string) => number): string {
  switch (cell?.kind) {
    case 'same':
      return 'same';
    case 'again':
      return `same (${noteOf('After the client has connected again: its session over HTTP ends with the server, which answers 404, as the specification says.')})`;
    case 'lacks':
      return `– (${noteOf(`Not possible with this client: ${cell.reason}.`)})`;
    case 'explained':
      return `differs (${noteOf(cell.reason)})`;
    default:
      return '**differs**';
  }
}

export function ruleLines(): readonly string[] {
  return comparisonRules().map((rule) => `- ${rule}`);
}

/** Differences that nobody has explained, for a screen. */
export function differenceLines(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ client, route, cells }) =>
    [...cells].flatMap(([step, cell]) => {
      if (cell.kind !== 'differs') return [];
      const [direct, portico] = excerpts(cell.direct, cell.portico);
      return [
        `DIFFERS ${client.id} ${client.version} over ${route}, ${step}`,
        `  the server itself: ${direct}`,
        `  through Portico:   ${portico}`,
      ];
    }),
  );
}

const aroundChars = 300;

/** From a little before the first character that differs. */
export function excerpts(first: string, second: string): readonly [string, string] {
  let at = 0;
  while (at < first.length && first[at] === second[at]) at += 1;
  const from = Math.max(0, at - aroundChars / 3);
  const cut = (text: string) => `${from > 0 ? '…' : ''}${text.slice(from, from + aroundChars)}`;
  return [cut(first), cut(second)];
}
