// The tables, as docs/interop.md has them between its two marks.
import type { Cell } from './compare.js';
import { checks, type Found } from './compare-server.js';
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

/** How many of each were compared, all of them the same unless the cell says otherwise. */
export function serverTable(found: readonly Found[]): readonly string[] {
  const lines = found.map(({ server, counts, differences }) => {
    const shown = checks.map((check) => {
      const differing = differences.filter((each) => each.check === check).length;
      return `${counts.get(check) ?? '–'}${differing === 0 ? '' : ` (**${differing} differ**)`}`;
    });
    return `| ${server.package} ${server.version} | ${shown.join(' | ')} |`;
  });
  return [`| Server | ${checks.join(' | ')} |`, `|---|${checks.map(() => '---|').join('')}`, ...lines];
}

/** Differences between a server and what Portico shows of it, for a screen. */
export function serverDifferences(found: readonly Found[]): readonly string[] {
  return found.flatMap(({ server, differences }) =>
    differences.flatMap(({ check, name, direct, portico }) =>
      difference(`${server.id} ${server.version}, ${check}: ${name}`, direct, portico),
    ),
  );
}

function difference(what: string, direct: string, portico: string): readonly string[] {
  const [first, second] = excerpts(direct, portico);
  return [`DIFFERS ${what}`, `  the server itself: ${first}`, `  through Portico:   ${second}`];
}

/** Unexplained differences, for a screen. */
export function clientDifferences(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ client, route, cells }) =>
    [...cells].flatMap(([step, cell]) => {
      if (cell.kind !== 'differs') return [];
      return difference(`${client.id} ${client.version} over ${route}, ${step}`, cell.direct, cell.portico);
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
