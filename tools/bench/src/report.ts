// Writes the results down: as lines for a screen, and as the measured part of docs/performance.md.
import { figureText, type Row, targetText, verdict } from './rows.js';

/** Where and when it was measured. */
export interface Circumstances {
  readonly machine: string;
  readonly node: string;
  readonly commit: string;
  /** RFC 3339. */
  readonly date: string;
  readonly rounds: number;
  readonly cores: number;
  /** Load averages over a minute, before the first scenario and after the last. */
  readonly load: readonly [before: number, after: number];
}

const begin = '<!-- what `npm run bench` measured: begin -->';
const end = '<!-- what `npm run bench` measured: end -->';

/** Said where others kept every core busy when the run began. */
const busy =
  'The machine was busy with other work: times are longer than on a quiet one, and ratios lower where Portico needs ' +
  'one process more than what it is beside, its upstream, and so gets a smaller share of the cores';

export function toLines(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(({ scenario }) => scenario.length));
  return rows.map((row) => {
    const beside = row.beside === undefined ? '' : `, beside ${row.beside}`;
    const aim = row.target === undefined ? '' : `  (${targetText(row)}: ${verdict(row)})`;
    return `${row.scenario.padEnd(width)}  ${figureText(row)}${beside}${aim}`;
  });
}

export function toMarkdown(rows: readonly Row[], at: Circumstances): string {
  const [before, after] = at.load.map((load) => load.toFixed(1));
  return [
    begin,
    '',
    `- ${at.date}, commit ${at.commit}`,
    `- Node ${at.node}; ${at.machine}`,
    `- Load average over the last minute: ${before} before the run, ${after} after it, on ${at.cores} cores`,
    ...(at.load[0] > at.cores ? [`- ${busy}`] : []),
    `- ${at.rounds} alternating rounds; the median counts, with the least and the most of all rounds behind it`,
    '',
    '| Scenario | Measured | Beside | Target | |',
    '|---|---|---|---|---|',
    ...rows.map((row) => {
      const cells = [row.scenario, figureText(row), row.beside ?? '', targetText(row), verdict(row)];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    }),
    '',
    end,
  ].join('\n');
}

/** The document with another measured part; everything around it stays. @throws Error if it has no place for one */
export function replaceMeasured(document: string, measured: string): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`the document has no lines "${begin}" and "${end}"`);
  return document.slice(0, from) + measured + document.slice(to + end.length);
}
