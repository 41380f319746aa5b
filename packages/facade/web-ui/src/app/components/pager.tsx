// Goes through a long list a page at a time.
import { formatCount } from '../lib/format.js';
import { Button } from './button.js';

interface PagerProps {
  readonly offset: number;
  readonly limit: number;
  /** All that match; undefined if the service does not say. */
  readonly total: number | undefined;
  /** Rows on this page. */
  readonly count: number;
  onOffset(offset: number): void;
}

export function Pager({ offset, limit, total, count, onOffset }: PagerProps) {
  const isLast = total === undefined ? count < limit : offset + count >= total;
  if (offset === 0 && isLast) return null;
  const range = `${formatCount(Math.min(offset + 1, offset + count))} to ${formatCount(offset + count)}`;
  return (
    <nav className="row" aria-label="Pages of the list">
      <Button disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - limit))}>
        Newer
      </Button>
      <span className="muted" aria-live="polite">
        {range}
        {total === undefined ? '' : ` of ${formatCount(total)}`}
      </span>
      <Button disabled={isLast} onClick={() => onOffset(offset + limit)}>
        Older
      </Button>
    </nav>
  );
}
