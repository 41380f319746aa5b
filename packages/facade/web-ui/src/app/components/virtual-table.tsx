// A table of any length: only the rows in the window are in the document. Rows have one height, so that nothing moves.
// biome-ignore-all lint/a11y/useSemanticElements: rows that are placed by themselves cannot be rows of a table element
// biome-ignore-all lint/a11y/useFocusableInteractive: the head takes no focus, rows take it by j and k
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Empty } from './states.js';
import { ColumnHead, type Sorting, SortSelect, useSorted } from './table-sort.js';

export interface VirtualColumn<Row> {
  readonly title: string;
  /** A class that gives its width, and its place on a phone. */
  readonly name: string;
  render(row: Row): ReactNode;
  /** Makes the column one that rows can be sorted by; once more turns them around. */
  readonly compare?: ((a: Row, b: Row) => number) | undefined;
  /** `compare` has the largest first, as numbers are mostly looked at. */
  readonly isLargestFirst?: boolean;
}

interface VirtualTableProps<Row> {
  readonly caption: string;
  /** A class of the table and its rows: the widths of its columns. */
  readonly name: string;
  readonly columns: readonly VirtualColumn<Row>[];
  readonly rows: readonly Row[];
  /** All rows that there are, where more can be read. */
  readonly total?: number;
  keyOf(row: Row): string;
  /** The last rows are in sight: read on, where there are more. */
  readonly onEnd?: (() => void) | undefined;
  readonly empty: ReactNode;
}

/** Pixels of a row. */
const heights = { wide: 32, narrow: 72 };
const narrow = '(max-width: 52rem)';
/** Rows above and below the window that are in the document: each costs every frame of scrolling. */
const beyond = 6;

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { rows, columns, empty } = props;
  const { sorted, ...sorting } = useSorted(rows, columns);
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <>
      <SortSelect columns={columns} {...sorting} />
      <Rows {...props} rows={sorted} {...sorting} />
    </>
  );
}

function Rows<Row>({
  caption,
  name,
  columns,
  rows,
  total = rows.length,
  keyOf,
  onEnd,
  sort,
  sortBy,
}: VirtualTableProps<Row> & Sorting) {
  const body = useRef<HTMLDivElement>(null);
  const { items, top, height } = useRowsInWindow(body, rows.length);
  const isAtEnd = (items.at(-1)?.index ?? 0) >= rows.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  return (
    <div role="table" aria-label={caption} aria-rowcount={total + 1} className={`virtual-table is-${name}`}>
      <div role="rowgroup" className="virtual-head">
        <div role="row" aria-rowindex={1} className="virtual-row">
          {columns.map((column) => (
            <ColumnHead key={column.name} column={column} sort={sort} sortBy={sortBy} />
          ))}
        </div>
      </div>
      <div ref={body} className="virtual-body" style={{ height: rows.length * height }}>
        <div role="rowgroup" style={{ transform: `translateY(${(items[0]?.start ?? top) - top}px)` }}>
          {items.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return <BodyRow key={keyOf(row)} row={row} columns={columns} index={index} height={height} />;
          })}
        </div>
      </div>
    </div>
  );
}

/** The rows of `body` that are in the window and a few around them, each of `height` pixels; the first row is at `top`. */
function useRowsInWindow(body: RefObject<HTMLElement | null>, count: number) {
  const height = useIsNarrow() ? heights.narrow : heights.wide;
  const top = useTopOf(body);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    overscan: beyond,
    scrollMargin: top,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: all rows have the new height
  useEffect(() => virtualizer.measure(), [height]);
  return { items: virtualizer.getVirtualItems(), top, height };
}

/**
 * Pixels from the top of the document to `element`. It is read when something around it gets another size, and not while the page
 * scrolls, where it would have the browser lay out the page in the middle of each frame.
 */
function useTopOf(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const read = () => {
      const offset = (element.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
      setTop((before) => (Math.abs(before - offset) < 1 ? before : offset));
    };
    read();
    const observer = new ResizeObserver(read);
    // An element that appears or grows above changes the size of an element around both.
    for (let each = element.current; each !== null; each = each.parentElement) observer.observe(each);
    return () => observer.disconnect();
  }, [element]);
  return top;
}

interface BodyRowProps<Row> {
  readonly row: Row;
  readonly columns: readonly VirtualColumn<Row>[];
  readonly index: number;
  readonly height: number;
}

/** While the list scrolls, rows that stay in the window are not rendered again. */
const BodyRow = memo(function BodyRow<Row>({ row, columns, index, height }: BodyRowProps<Row>) {
  return (
    <div role="row" aria-rowindex={index + 2} className="virtual-row" data-row tabIndex={-1} style={{ height }}>
      {columns.map(({ name: column, title, render }) => (
        <div key={column} role="cell" className={`cell-${column}`} data-title={title}>
          {render(row)}
        </div>
      ))}
    </div>
  );
}) as <Row>(props: BodyRowProps<Row>) => ReactNode; // memo() forgets the parameter of the type

function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(narrow).matches);
  useEffect(() => {
    const query = matchMedia(narrow);
    const onChange = () => setNarrow(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return isNarrow;
}
