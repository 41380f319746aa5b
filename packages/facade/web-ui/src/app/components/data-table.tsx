// A table that becomes a list of cards where there is no room for columns.
import type { ReactNode } from 'react';
import { Empty } from './states.js';

export interface Column<Row> {
  readonly title: string;
  /** `number` and `code` are set as such; `actions` is a column of buttons. */
  readonly kind?: 'text' | 'number' | 'code' | 'actions';
  render(row: Row): ReactNode;
}

interface DataTableProps<Row> {
  /** Says what the table holds, for those who do not see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  /** In place of a table without rows. */
  readonly empty: ReactNode;
}

export function DataTable<Row>({ caption, columns, rows, keyOf, empty }: DataTableProps<Row>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <div className="table-frame">
      <table className="data-table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, kind = 'text' }) => (
              <th key={title} scope="col" className={`is-${kind}`}>
                {kind === 'actions' ? <span className="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} data-row tabIndex={-1}>
              {columns.map(({ title, kind = 'text', render }) => (
                <td key={title} className={`is-${kind}`} data-title={kind === 'actions' ? undefined : title}>
                  {render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
