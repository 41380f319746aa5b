// Rows under headings, aligned by what a terminal shows: wide characters count two, and long cells give way.
import stringWidth from 'string-width';
import { toPlainCell } from './plain-text.js';

export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string | number | null | undefined;
}

export interface TableOptions {
  /** Cells of the terminal; undefined cuts nothing. */
  readonly width?: number | undefined;
  readonly paintHeading?: (text: string) => string;
}

const gap = '  ';
const narrowest = 8;

/** Lines without ends. */
export function toTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: TableOptions = {},
): readonly string[] {
  const { width, paintHeading = (text) => text } = options;
  const cells = rows.map((row) => columns.map(({ cell }) => toPlainCell(String(cell(row) ?? '-'))));
  const headings = columns.map(({ heading }) => heading);
  const natural = headings.map((heading, index) =>
    Math.max(stringWidth(heading), ...cells.map((row) => stringWidth(row[index] ?? ''))),
  );
  const widths = width === undefined ? natural : fit(natural, width - gap.length * (columns.length - 1));
  const toLine = (row: readonly string[]) =>
    row
      .map((text, index) => pad(cut(text, widths[index] ?? 0), widths[index] ?? 0))
      .join(gap)
      .trimEnd();
  return [paintHeading(toLine(headings)), ...cells.map(toLine)];
}

/** The widest give way first, down to what can still be read. */
function fit(natural: readonly number[], available: number): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= narrowest) break;
    widths[widest] = width - 1;
    excess -= 1;
  }
  return widths;
}

/** At most so many cells, an ellipsis for what is missing. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}
