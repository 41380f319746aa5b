// The last log lines of a server, as they come.
import { useEffect, useRef } from 'react';
import { Modal } from '../../components/modal.js';
import { Moment } from '../../components/moment.js';
import { Empty, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useServerLogs } from '../../data/queries.js';

interface LogsDialogProps {
  readonly id: string;
  onClose(): void;
}

export function LogsDialog({ id, onClose }: LogsDialogProps) {
  const logs = useServerLogs(id);
  const box = useRef<HTMLElement>(null);
  const count = logs.data?.lines.length ?? 0;
  useEffect(() => {
    if (count > 0) box.current?.scrollTo(0, box.current.scrollHeight);
  }, [count]);
  return (
    <Modal title={`Logs of ${id}`} isWide onClose={onClose}>
      <QueryView query={logs} what="the logs">
        {({ lines }) =>
          lines.length === 0 ? (
            <Empty>It has written nothing yet.</Empty>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <section className="log" ref={box} tabIndex={0} aria-label={`Log lines of ${id}`}>
              <ol>
                {toLines(lines).map(({ key, timestamp, text }) => (
                  <li key={key}>
                    <Moment at={new Date(timestamp)} isShort /> <VisibleText text={text} />
                  </li>
                ))}
              </ol>
            </section>
          )
        }
      </QueryView>
    </Modal>
  );
}

/** Lines may be equal; their place from the start tells them apart. */
function toLines(lines: readonly { readonly timestamp: string; readonly text: string }[]) {
  return lines.map((line, at) => ({ ...line, key: `${at} ${line.timestamp}` }));
}
