// The side panel about one event: who, what, with which arguments and outcome; why, step by step; what to do next; the
// proof. Parts that the role may not read are left out.
import { useQuery } from '@tanstack/react-query';
import { CodeView } from '../components/code-view.js';
import { EventSentence } from '../components/event-sentence.js';
import { SidePanel } from '../components/side-panel.js';
import { Loading, ProblemNote } from '../components/states.js';
import { VisibleText } from '../components/visible-text.js';
import { useClient } from '../data/session.js';
import { toProblem } from '../lib/problem.js';
import { ExplanationView } from './explanation-view.js';
import { FramesView } from './frames-view.js';
import { Proof, RecordFacts, Related } from './record-facts.js';
import './why.css';

interface WhyPanelProps {
  readonly id: string;
  onClose(): void;
}

export function WhyPanel({ id, onClose }: WhyPanelProps) {
  const client = useClient();
  const explained = useQuery({
    queryKey: ['explanation', id],
    queryFn: ({ signal }) => client.explainTrace(id, { signal }),
  });
  const explanation = explained.data?.explanation;
  const recordId = id.startsWith('aud-') ? id : explanation?.steps.flatMap(({ evidence }) => evidence)[0];
  const recorded = useQuery({
    queryKey: ['audit-record', recordId],
    enabled: recordId !== undefined,
    queryFn: ({ signal }) => client.getAuditEvent(recordId ?? '', { signal }),
  });
  const record = recorded.data?.event;
  const problem = explained.error === null ? undefined : toProblem(explained.error);
  const isLoading = explained.isPending || (recordId !== undefined && recorded.isPending);
  return (
    <SidePanel title={record === undefined ? 'Why?' : <EventSentence event={record} />} onClose={onClose}>
      {isLoading ? <Loading what="the explanation" /> : null}
      {explanation === undefined ? null : (
        <p className="why-summary">
          <VisibleText text={explanation.summary} />
        </p>
      )}
      {record === undefined ? null : <RecordFacts record={record} />}
      {explanation === undefined ? null : <ExplanationView explanation={explanation} />}
      {problem === undefined || isLoading ? null : record === undefined ? (
        <ProblemNote problem={problem} onRetry={() => void explained.refetch()} />
      ) : (
        <p className="hint">Only calls and approvals have steps that can be explained.</p>
      )}
      {explanation?.trace_id == null ? null : (
        <FramesView traceId={explanation.trace_id} count={explained.data?.frames} />
      )}
      {record === undefined ? null : <Related record={record} />}
      {record === undefined ? null : <Proof record={record} explanation={explanation} />}
      {explanation === undefined || explanation.missing.length === 0 ? null : (
        <CodeView label="Missing for a whole explanation" text={explanation.missing.join('\n')} />
      )}
    </SidePanel>
  );
}
