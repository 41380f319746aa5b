// A point in time, in the zone of the browser.
import { formatClock, formatDateTime } from '../lib/format.js';

interface MomentProps {
  readonly at: Date;
  /** Only the time of day. */
  readonly isShort?: boolean;
}

export function Moment({ at, isShort = false }: MomentProps) {
  if (Number.isNaN(at.getTime())) return <span>unknown</span>;
  return (
    <time dateTime={at.toISOString()} className="moment">
      {isShort ? formatClock(at) : formatDateTime(at)}
    </time>
  );
}
