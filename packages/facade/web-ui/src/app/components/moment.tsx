// A point in time: how long ago it was, with the exact time in the zone of the browser on hover.
import { useNow } from '../data/clock.js';
import { formatAgo, formatClock, formatDateTime } from '../lib/format.js';

interface MomentProps {
  readonly at: Date;
  /** The time of day in place of how long ago it was. */
  readonly isShort?: boolean;
}

export function Moment({ at, isShort = false }: MomentProps) {
  const now = useNow();
  if (Number.isNaN(at.getTime())) return <span>unknown</span>;
  return (
    <time dateTime={at.toISOString()} className="moment" title={formatDateTime(at)}>
      {isShort ? formatClock(at) : formatAgo(at.getTime(), now)}
    </time>
  );
}
