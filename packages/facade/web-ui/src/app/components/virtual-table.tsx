// A table of any length: only the rows in the window are in the document. Rows have one height, so that nothing moves.
// biome-ignore-all lint/a11y/useSemanticElements: rows that are placed by themselves cannot be rows of a table element
// biome-ignore-all lint/a11y/useFocusableInteractive: the head takes no focus, rows take it by j and k
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { SelectField } from './field.js';
import { Empty } from './states.js';

export interface VirtualColumn<Row> {
  readonly title: string;
  /** A class that gives its width, and its place on a phone. */
  readonly name: string;
  render(row: Row): ReactNode;
  /** Makes the column one that rows can be sorted by; once more turns them around. */
  readonly compare?: ((a: Row, b: Row) => number) | undefined;
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

const heights = { wide: 32, narrow: 72 };
const narrow = '(max-width: 52rem)';
const beyond = 12;

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { rows, columns, empty } = props;
  const { sorted, sort, sortBy } = useSorted(rows, columns);
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <>
      {columns.some(({ compare }) => compare !== undefined) ? (
        <SortSelect columns={columns} sort={sort} sortBy={sortBy} />
      ) : null}
      <Rows {...props} rows={sorted} sort={sort} sortBy={sortBy} />
    </>
  );
}

interface Sort {
  readonly column: string;
  readonly isReversed: boolean;
}

interface Sorting {
  readonly sort: Sort | undefined;
  sortBy(column: string): void;
}

function useSorted<Row>(rows: readonly Row[], columns: readonly VirtualColumn<Row>[]) {
  const [sort, setSort] = useState<Sort | undefined>(undefined);
  const compare = columns.find(({ name }) => name === sort?.column)?.compare;
  const isReversed = sort?.isReversed === true;
  const sorted = useMemo(() => {
    if (compare === undefined) return rows;
    return isReversed ? rows.toSorted((a, b) => compare(b, a)) : rows.toSorted(compare);
  }, [rows, compare, isReversed]);
  const sortBy = (column: string) =>
    setSort(column === '' ? undefined : { column, isReversed: sort?.column === column && !sort.isReversed });
  return { sorted, sort, sortBy };
}

interface SortSelectProps<Row> extends Sorting {
  readonly columns: readonly VirtualColumn<Row>[];
}

/** Where there is no room for a head of columns. */
function SortSelect<Row>({ columns, sort, sortBy }: SortSelectProps<Row>) {
  const options = columns.flatMap(({ name, title, compare }) =>
    compare === undefined ? [] : [[name, title] as const],
  );
  return (
    <div className="narrow-only">
      <SelectField
        label="Sort by"
        value={sort?.column ?? ''}
        options={[['', 'As listed'], ...options]}
        onValue={sortBy}
      />
    </div>
  );
}

interface HeadProps<Row> extends Sorting {
  readonly column: VirtualColumn<Row>;
}

function Head<Row>({ column: { name, title, compare }, sort, sortBy }: HeadProps<Row>) {
  const isBy = sort?.column === name;
  return (
    <div
      role="columnheader"
      className={`cell-${name}`}
      aria-sort={isBy ? (sort.isReversed ? 'descending' : 'ascending') : undefined}
    >
      {compare === undefined ? (
        title
      ) : (
        <button type="button" className="sort-button" onClick={() => sortBy(name)}>
          {title}
          <span aria-hidden="true">{isBy ? (sort.isReversed ? ' ↑' : ' ↓') : ''}</span>
        </button>
      )}
    </div>
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
  const height = useIsNarrow() ? heights.narrow : heights.wide;
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const offset = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    setTop((before) => (Math.abs(before - offset) < 1 ? before : offset));
  });
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    overscan: beyond,
    scrollMargin: top,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: all rows have the new height
  useEffect(() => virtualizer.measure(), [height]);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const isAtEnd = last >= rows.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  return (
    <div role="table" aria-label={caption} aria-rowcount={total + 1} className={`virtual-table is-${name}`}>
      <div role="rowgroup" className="virtual-head">
        <div role="row" aria-rowindex={1} className="virtual-row">
          {columns.map((column) => (
            <Head key={column.name} column={column} sort={sort} sortBy={sortBy} />
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={body} className="virtual-body" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start, size }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <BodyRow key={keyOf(row)} row={row} columns={columns} index={index} height={size} offset={start - top} />
          );
        })}
      </div>
    </div>
  );
}

interface BodyRowProps<Row> {
  readonly row: Row;
  readonly columns: readonly VirtualColumn<Row>[];
  readonly index: number;
  readonly height: number;
  readonly offset: number;
}

/** While the list scrolls, rows that stay in the window are not rendered again. */
const BodyRow = memo(function BodyRow<Row>({ row, columns, index, height, offset }: BodyRowProps<Row>) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="virtual-row"
      data-row
      tabIndex={-1}
      style={{ height, transform: `translateY(${offset}px)` }}
    >
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
