// The last log lines of a server in their order, with repeats counted.
import { useEffect, useRef } from 'react';
import { Moment } from '../../components/moment.js';
import { Empty, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useServerLogs } from '../../data/queries.js';
import { countRepeats } from '../../lib/log-lines.js';

export function LogView({ id }: { readonly id: string }) {
  const logs = useServerLogs(id);
  const box = useRef<HTMLElement>(null);
  const count = logs.data?.lines.length ?? 0;
  useEffect(() => {
    if (count > 0) box.current?.scrollTo(0, box.current.scrollHeight);
  }, [count]);
  return (
    <QueryView query={logs} what="the logs">
      {({ lines }) =>
        lines.length === 0 ? (
          <Empty>It has written nothing yet.</Empty>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <section className="log" ref={box} tabIndex={0} aria-label={`Log lines of ${id}`}>
            <ol>
              {countRepeats(lines).map(({ key, timestamp, text, count: times }) => (
                <li key={key} className={text.startsWith('[portico] ') ? 'is-ours' : undefined}>
                  <Moment at={new Date(timestamp)} isShort /> <VisibleText text={text} />
                  {times === 1 ? null : <span className="count"> {times} times</span>}
                </li>
              ))}
            </ol>
          </section>
        )
      }
    </QueryView>
  );
}
