// The JSON-RPC messages that passed between Portico and the server during a call, where the inspector keeps them; else how
// to switch it on.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CodeView } from '../components/code-view.js';
import { Loading, ProblemNote } from '../components/states.js';
import { VisibleText } from '../components/visible-text.js';
import { useClient, useIsAdmin } from '../data/session.js';
import { formatDuration, plural } from '../lib/format.js';
import { linesOf } from '../lib/json-text.js';
import { toProblem } from '../lib/problem.js';

interface FramesViewProps {
  readonly traceId: string;
  /** Messages of the trace that are kept; undefined while the inspector is off. */
  readonly count: number | undefined;
}

export function FramesView({ traceId, count }: FramesViewProps) {
  const isAdmin = useIsAdmin();
  const [isOpen, setOpen] = useState(false);
  if (count === undefined)
    return isAdmin ? (
      <p className="hint">
        Messages to and from the server are not kept. To keep them from now on, set{' '}
        <code>{'"inspect": {"enabled": true}'}</code> in the configuration; it takes no restart.
      </p>
    ) : null;
  if (count === 0)
    return <p className="hint">No message of this call is kept: it reached no server, or was long ago.</p>;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{plural(count, 'message')} between Portico and the server</summary>
      {isOpen ? <Frames traceId={traceId} /> : null}
    </details>
  );
}

function Frames({ traceId }: Pick<FramesViewProps, 'traceId'>) {
  const client = useClient();
  const { data, error } = useQuery({
    queryKey: ['frames', traceId],
    queryFn: ({ signal }) => client.listTraceFrames(traceId, { signal }),
  });
  if (error !== null) return <ProblemNote problem={toProblem(error)} />;
  if (data === undefined) return <Loading what="the messages" />;
  return (
    <ol className="frames">
      {data.frames.map(
        ({ id, direction, kind, method = kind, server_id, bytes, duration_us: took, body, is_error }) => (
          <li key={id}>
            <p className="row">
              <span>
                {direction === 'sent' ? '→ to' : '← from'} <VisibleText text={server_id} />
              </span>
              <strong className="mono">
                <VisibleText text={method} />
              </strong>
              <span className="muted">
                {is_error === true ? 'error ' : ''}
                {kind}, {plural(bytes, 'byte')}
                {took === undefined ? '' : `, after ${formatDuration(took / 1000)}`}
              </span>
            </p>
            {body === undefined ? null : <CodeView label={`${direction} ${method}`} text={linesOf(body)} />}
          </li>
        ),
      )}
    </ol>
  );
}
