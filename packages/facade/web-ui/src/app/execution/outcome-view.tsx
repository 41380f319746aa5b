// The outcome of a run: its contents, the whole envelope, and where to go on.
import { type Envelope, isJsonObject, type JsonValue } from '@portico/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { Badge } from '../components/badge.js';
import { JsonView } from '../components/code-view.js';
import { ProblemNote } from '../components/states.js';
import { type Tab, Tabs } from '../components/tabs.js';
import { formatDuration } from '../lib/format.js';
import type { Problem } from '../lib/problem.js';
import { ContentView } from './content-view.js';
import { QuestionForm } from './question-form.js';
import type { RunOutcome } from './run-outcome.js';
import type { Run } from './use-run.js';

/** The outcome of the last run, announced when it arrives. */
export function OutcomeView({ run }: { readonly run: Run }) {
  const { outcome, isRunning } = run;
  return (
    <div className="outcome stack" aria-live="polite" aria-busy={isRunning}>
      {outcome === undefined ? null : <Ended outcome={outcome} run={run} />}
    </div>
  );
}

function Ended({ outcome, run }: { readonly outcome: RunOutcome; readonly run: Run }) {
  switch (outcome.kind) {
    case 'result':
      return <Result outcome={outcome} />;
    case 'question': {
      const { inputRequests, requestState } = outcome.question;
      return (
        <QuestionForm
          key={requestState}
          inputRequests={inputRequests}
          isBusy={run.isRunning}
          onAnswers={(answers) => run.resume(answers, requestState)}
        />
      );
    }
    case 'task':
      return (
        <p className="note">
          It goes on as a task: <Link href={`/tasks?id=${encodeURIComponent(outcome.taskId)}`}>{outcome.taskId}</Link>
        </p>
      );
    case 'pending':
      return (
        <p className="note">
          This call needs an approval before it runs:{' '}
          <Link href={`/approvals?id=${encodeURIComponent(outcome.approvalId)}`}>{outcome.approvalId}</Link>
        </p>
      );
    case 'failure':
      return (
        <>
          <ProblemNote problem={whyOf(outcome)} />
          {outcome.envelope === undefined ? null : <Facts envelope={outcome.envelope} elapsedMs={outcome.elapsedMs} />}
        </>
      );
  }
}

/** Every call has a trace, for any failure. */
function whyOf({ problem, envelope }: RunOutcome & { readonly kind: 'failure' }): Problem {
  return envelope === undefined ? problem : { ...problem, why: envelope.trace_id };
}

type Shown = 'contents' | 'structured' | 'envelope';

const structuredTab: Tab<Shown> = { id: 'structured', title: 'Structured' };

function Result({ outcome }: { readonly outcome: RunOutcome & { readonly kind: 'result' } }) {
  const { envelope, data, elapsedMs } = outcome;
  const [chosen, setChosen] = useState<Shown>('contents');
  const structured = isJsonObject(data) ? data.structuredContent : undefined;
  const tabs: readonly Tab<Shown>[] = [
    { id: 'contents', title: 'Contents' },
    ...(structured === undefined ? [] : [structuredTab]),
    { id: 'envelope', title: 'Envelope' },
  ];
  const selected = tabs.some(({ id }) => id === chosen) ? chosen : 'contents';
  const isFailed = isJsonObject(data) && data.isError === true;
  return (
    <>
      <p className="row">
        {isFailed ? <Badge tone="bad">The tool says it failed</Badge> : <Badge tone="good">Done</Badge>}
      </p>
      <Facts envelope={envelope} elapsedMs={elapsedMs} />
      <Tabs<Shown> label="Result" tabs={tabs} selected={selected} onSelect={setChosen}>
        {selected === 'contents' ? <Contents data={data} /> : null}
        {selected === 'structured' ? <JsonView label="Structured content" value={structured} /> : null}
        {selected === 'envelope' ? <JsonView label="Envelope" value={envelope} /> : null}
      </Tabs>
    </>
  );
}

/** A tool's `content`, a resource's `contents`, a prompt's `messages`; what was distilled to something else as it is. */
function Contents({ data }: { readonly data: JsonValue }) {
  const list = isJsonObject(data) ? (data.content ?? data.contents ?? data.messages) : undefined;
  if (!Array.isArray(list)) return <JsonView label="Data" value={data} />;
  if (list.length === 0) return <p className="muted">It has no contents.</p>;
  return (
    <div className="stack">
      {list.map((item, index) => {
        const message = isJsonObject(item) && item.content !== undefined && typeof item.role === 'string';
        const label = message ? `Message of the ${String(item.role)}` : `Content ${index + 1}`;
        // biome-ignore lint/suspicious/noArrayIndexKey: contents have no ids, and never change their order
        return <ContentView key={index} label={label} content={message ? (item.content ?? null) : (item ?? null)} />;
      })}
    </div>
  );
}

function Facts({ envelope, elapsedMs }: { readonly envelope: Envelope; readonly elapsedMs: number }) {
  const { trace_id: traceId, retry } = envelope;
  return (
    <dl className="facts">
      <dt>Time</dt>
      <dd>{formatDuration(elapsedMs)}</dd>
      <dt>Retry</dt>
      <dd>
        {retry.classification}, {retry.upstream_execution_state.replace('_', ' ')}
      </dd>
      <dt>Trace</dt>
      <dd>
        <Link href={`/audit?trace_id=${traceId}`} className="mono">
          {traceId}
        </Link>
      </dd>
    </dl>
  );
}
