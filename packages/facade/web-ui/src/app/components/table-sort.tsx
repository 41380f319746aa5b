// Sorting of a table: the heads of its columns, and a field where there is no room for a head.
// biome-ignore-all lint/a11y/useSemanticElements: heads of rows that are placed by themselves cannot be of a table element
// biome-ignore-all lint/a11y/useFocusableInteractive: the head takes no focus, its button does
import { useMemo, useState } from 'react';
import { SelectField } from './field.js';

/** A column by which rows can be sorted, where it has `compare`. */
interface SortColumn<Row> {
  readonly title: string;
  readonly name: string;
  readonly compare?: ((a: Row, b: Row) => number) | undefined;
  /** `compare` has the largest first, as numbers are mostly looked at. */
  readonly isLargestFirst?: boolean;
}

interface Sort {
  readonly column: string;
  readonly isReversed: boolean;
}

export interface Sorting {
  /** Undefined while rows are as they are listed. */
  readonly sort: Sort | undefined;
  /** By this column, in the other direction if it is the one already; as listed for an empty name. */
  sortBy(column: string): void;
}

export function useSorted<Row>(
  rows: readonly Row[],
  columns: readonly SortColumn<Row>[],
): Sorting & { readonly sorted: readonly Row[] } {
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
  readonly columns: readonly SortColumn<Row>[];
}

/** Where there is no room for a head of columns; nothing where no column can be sorted by. */
export function SortSelect<Row>({ columns, sort, sortBy }: SortSelectProps<Row>) {
  const options = columns.flatMap(({ name, title, compare }) =>
    compare === undefined ? [] : [[name, title] as const],
  );
  if (options.length === 0) return null;
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

interface ColumnHeadProps<Row> extends Sorting {
  readonly column: SortColumn<Row>;
}

export function ColumnHead<Row>({ column, sort, sortBy }: ColumnHeadProps<Row>) {
  const { name, title, compare, isLargestFirst = false } = column;
  const isBy = sort?.column === name;
  const isDescending = isBy && sort.isReversed !== isLargestFirst;
  return (
    <div
      role="columnheader"
      className={`cell-${name}`}
      aria-sort={isBy ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      {compare === undefined ? (
        title
      ) : (
        <button type="button" className="sort-button" onClick={() => sortBy(name)}>
          {title}
          <span aria-hidden="true">{isBy ? (isDescending ? ' ↓' : ' ↑') : ''}</span>
        </button>
      )}
    </div>
  );
}
