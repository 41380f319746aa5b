// The definitions of a server that were left out, and the questions of it that were refused.
import type { RefusalReason, ServerInfo } from '@portico/contracts';
import { VisibleText } from '../../components/visible-text.js';

export function ServerNotes({ server }: { readonly server: ServerInfo }) {
  const { definition_problems = [], refused_requests = [] } = server;
  return (
    <>
      {definition_problems.length === 0 ? null : (
        <details className="hint">
          <summary>{definition_problems.length} definitions left out or corrected</summary>
          <ul>
            {definition_problems.map(({ list, name, left_out, reason }) => (
              <li key={`${list} ${name} ${reason}`}>
                <VisibleText text={`${list} "${name}" ${left_out ? 'left out' : 'corrected'}: ${reason}`} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {refused_requests.length === 0 ? null : (
        <details className="hint">
          <summary>Questions that were refused</summary>
          <ul>
            {refused_requests.map(({ method, reason, count }) => (
              <li key={`${method} ${reason}`}>{`${method}, ${count} times: ${refusals[reason]}`}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const refusals: Readonly<Record<RefusalReason, string>> = {
  caller_cannot_answer: 'its callers could not be asked',
  not_declared_to_server: 'its clientCapabilities leave it out',
  outside_of_calls: 'no call was running',
};
