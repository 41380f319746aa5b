// A long list, a part at a time: a page with ten thousand rows is slow and hard to read.
import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.js';
import { formatCount } from '../../lib/format.js';

const step = 50;

interface GrowingListProps<Row> {
  readonly rows: readonly Row[];
  children(rows: readonly Row[]): ReactNode;
}

export function GrowingList<Row>({ rows, children }: GrowingListProps<Row>) {
  const [shown, setShown] = useState(step);
  return (
    <div className="stack">
      {children(rows.slice(0, shown))}
      {rows.length <= shown ? null : (
        <p className="row">
          <span className="muted">
            {formatCount(shown)} of {formatCount(rows.length)}
          </span>
          <Button onClick={() => setShown(shown + step)}>Show more</Button>
        </p>
      )}
    </div>
  );
}
