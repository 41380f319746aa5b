// Rows under headings, aligned by what a terminal shows. On a narrow terminal columns of low value are left out, then
// texts are cut; ids and times never are: an id that is cut cannot be copied into the next command.
import stringWidth from 'string-width';
import { toPlainCell } from './plain-text.js';
import { type TimeValue, toLocal, toRelative } from './times.js';

export type Column<Row> = ColumnBase &
  (
    | { readonly cell: (row: Row) => string | number | null | undefined; readonly time?: never }
    | { readonly time: (row: Row) => TimeValue; readonly cell?: never }
  );

interface ColumnBase {
  readonly heading: string;
  /** Never cut. The first column never is. */
  readonly isId?: boolean;
  /** Columns with one are left out where there is no room, the lowest first. */
  readonly value?: number;
}

export interface TableOptions {
  /** Cells of the terminal; undefined shows every column whole, with exact times. */
  readonly width?: number | undefined;
  readonly nowMs?: number;
  readonly paintHeading?: (text: string) => string;
}

const gap = '  ';
/** Minimum width of a text that is cut. */
const narrowest = 8;
/** Width that the last column has at least: other columns are left out for it. */
const leastForTheLast = 16;

/** Lines without ends. Longer than `width` only where ids are. */
export function toTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: TableOptions = {},
): readonly string[] {
  const { width, paintHeading = (text) => text } = options;
  const measured = columns.map((column, index) => measure(column, index, rows, options));
  const shown = width === undefined ? measured : fit(measured, width);
  const toLine = (textOf: (column: Measured) => string) =>
    shown
      .map((column) => pad(cut(textOf(column), column.width), column.width))
      .join(gap)
      .trimEnd();
  return [
    paintHeading(toLine(({ heading }) => heading)),
    ...rows.map((_, row) => toLine(({ cells }) => cells[row] ?? '')),
  ];
}

interface Measured {
  readonly heading: string;
  readonly cells: readonly string[];
  readonly width: number;
  readonly isWhole: boolean;
  readonly value: number;
}

function measure<Row>(column: Column<Row>, index: number, rows: readonly Row[], options: TableOptions): Measured {
  const { heading, isId = false, value = Number.POSITIVE_INFINITY } = column;
  const cells = rows.map((row) => toPlainCell(String(textOf(column, row, options) ?? '-')));
  const width = Math.max(stringWidth(heading), ...cells.map((cell) => stringWidth(cell)));
  return { heading, cells, width, isWhole: index === 0 || isId || column.time !== undefined, value };
}

function textOf<Row>(column: Column<Row>, row: Row, { width, nowMs = Date.now() }: TableOptions) {
  if (column.time === undefined) return column.cell(row);
  return width === undefined ? toLocal(column.time(row)) : toRelative(column.time(row), nowMs);
}

function fit(measured: readonly Measured[], available: number): readonly Measured[] {
  let shown = measured;
  while (widthOf(shown, leastForTheLast) > available) {
    const lowest = Math.min(...shown.map(({ value }) => value));
    if (lowest === Number.POSITIVE_INFINITY) break;
    shown = shown.filter(({ value }) => value !== lowest);
  }
  const excess = widthOf(shown, narrowest) - available;
  const narrowed = excess > 0 ? narrow(shown, excess) : shown;
  const last = narrowed.at(-1);
  const room = available - widthOf(narrowed.slice(0, -1)) - gap.length;
  if (last === undefined || last.isWhole || last.width <= room) return narrowed;
  if (room < narrowest) return narrowed.slice(0, -1);
  return [...narrowed.slice(0, -1), { ...last, width: room }];
}

/** With gaps. @param limit of the last one, unless it may not be cut */
function widthOf(columns: readonly Measured[], limit = Number.POSITIVE_INFINITY): number {
  const widths = columns.map(({ width, isWhole }, index) =>
    index === columns.length - 1 && !isWhole ? Math.min(width, limit) : width,
  );
  return widths.reduce((sum, width) => sum + width, gap.length * (columns.length - 1));
}

/** The widest of the texts give way first, down to what can still be read. */
function narrow(columns: readonly Measured[], by: number): readonly Measured[] {
  const narrowed = columns.map((column) => ({ ...column }));
  for (let excess = by; excess > 0; excess -= 1) {
    const texts = narrowed.slice(0, -1).filter(({ isWhole, width }) => !isWhole && width > narrowest);
    const widest = texts.reduce<(typeof texts)[number] | undefined>(
      (found, text) => (found === undefined || text.width > found.width ? text : found),
      undefined,
    );
    if (widest === undefined) break;
    widest.width -= 1;
  }
  return narrowed;
}

/** At most this many cells, with an ellipsis for the rest. */
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
