// A number of calls that leads to their records.
import { Link } from 'wouter';
import { formatCount } from '../../lib/format.js';
import { toVisible } from '../../lib/visible.js';
import type { DayUsage } from './shapes.js';
import { type Counted, type EntryKind, recordsPath } from './usage.js';

interface CountLinkProps {
  readonly id: string;
  readonly kind?: EntryKind;
  readonly counted: Counted;
  readonly usage: DayUsage | undefined;
}

const words: Readonly<Record<Counted, string>> = { calls: 'calls', failed: 'failed calls', refused: 'refused calls' };

export function CountLink({ id, kind = 'tools', counted, usage }: CountLinkProps) {
  if (usage === undefined) return null;
  const count = usage.byId.get(id)?.[counted] ?? 0;
  if (count === 0) return <span className="muted">0</span>;
  return (
    <Link
      href={recordsPath(kind, id, counted, usage.since)}
      className={counted === 'calls' ? undefined : 'is-bad-text'}
    >
      {formatCount(count)}
      <span className="visually-hidden">
        {' '}
        {words[counted]} of {toVisible(id)}
      </span>
    </Link>
  );
}
