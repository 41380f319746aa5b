// Calls as rows that keep their places. The list waits while the pointer or the focus is in it, so that nothing moves away
// under a click.
import type { RecentCall } from '@portico/contracts';
import { useState } from 'react';
import { Empty } from '../../components/states.js';
import { useHold } from '../../data/use-hold.js';
import { CallRow } from './call-row.js';
import './call-feed.css';

interface CallFeedProps {
  /** Newest first. */
  readonly calls: readonly RecentCall[];
  readonly empty: string;
}

const columns = ['time', 'who', 'what', 'args', 'outcome', 'took', 'why'];

export function CallFeed({ calls, empty }: CallFeedProps) {
  const [held, setHeld] = useState<readonly RecentCall[] | undefined>(undefined);
  const hold = useHold<HTMLDivElement>(
    () => setHeld((before) => before ?? calls),
    () => setHeld(undefined),
  );
  const rows = held ?? calls;
  const newer = held === undefined ? 0 : calls.findIndex(({ id }) => id === held[0]?.id);
  return (
    <div {...hold} className="feed-place">
      <table className="feed">
        <caption className="visually-hidden">The last calls</caption>
        <colgroup>
          {columns.map((name) => (
            <col key={name} className={`feed-${name}`} />
          ))}
        </colgroup>
        <thead className="visually-hidden">
          <tr>
            {['When', 'Who', 'What', 'Arguments', 'Outcome', 'Took', 'Why'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((call, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their places, and their texts change
            <CallRow key={at} call={call} />
          ))}
        </tbody>
      </table>
      <p className="hint feed-note">
        {held === undefined
          ? ''
          : newer === 0
            ? 'Held while you are in it.'
            : `Held while you are in it: ${newer === -1 ? `more than ${rows.length}` : newer} newer`}
      </p>
      {rows.length === 0 ? <Empty>{empty}</Empty> : null}
    </div>
  );
}
