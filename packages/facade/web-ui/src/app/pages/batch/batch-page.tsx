// Builds a batch step by step, runs it, and shows the outcome of each step. Steps refer to earlier steps.
import type { Answers } from '@portico/client';
import { writeExactLines } from '@portico/contracts';
import { useState } from 'react';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { CodeView, JsonView } from '../../components/code-view.js';
import { Page, Section } from '../../components/page.js';
import { ProblemNote } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { formatDuration, plural } from '../../lib/format.js';
import { randomId } from '../../lib/random-id.js';
import { WhyLink } from '../../why/why-link.js';
import { StepFields } from './step-fields.js';
import { newStep, problemsOf, type Step, toRequest } from './steps.js';

const mostSteps = 50;

export function BatchPage() {
  const client = useClient();
  const [steps, setSteps] = useState<readonly Step[]>(() => [newStep([])]);
  const [wasTried, setTried] = useState(false);
  const [runningId, setRunningId] = useState<string | undefined>(undefined);
  const action = useAction((requestId: string) => client.callBatch({ ...toRequest(steps), request_id: requestId }));
  const [answer, setAnswer] = useState<Answers['callBatch'] | undefined>(undefined);
  const problems = problemsOf(steps);
  const canRun = problems.every((problem) => Object.keys(problem).length === 0);

  const change = (index: number, part: Partial<Step>) =>
    setSteps(steps.map((step, at) => (at === index ? { ...step, ...part } : step)));
  const move = (index: number, by: number) => {
    const next = [...steps];
    const [moved] = next.splice(index, 1);
    if (moved !== undefined) next.splice(index + by, 0, moved);
    setSteps(next);
  };
  const run = async () => {
    setTried(true);
    if (!canRun) return;
    const id = `console-${randomId()}`;
    setRunningId(id);
    setAnswer(undefined);
    setAnswer(await action.run(id));
    setRunningId(undefined);
  };

  return (
    <Page
      title="Batch"
      lead="Calls one after the other, as one request. A step takes what an earlier one brought: $first.structuredContent.id"
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <ol className="steps">
          {steps.map((step, index) => (
            <li key={step.key}>
              <StepFields
                step={step}
                place={index}
                count={steps.length}
                problems={wasTried ? (problems[index] ?? {}) : {}}
                onStep={(part) => change(index, part)}
                onMove={(by) => move(index, by)}
                onRemove={() => setSteps(steps.filter((other) => other !== step))}
              />
            </li>
          ))}
        </ol>
        <div className="actions">
          <Button
            disabled={steps.length >= mostSteps}
            onClick={() => setSteps([...steps, newStep(steps.map(({ id }) => id))])}
          >
            Add a step
          </Button>
          <Button type="submit" variant="primary" isBusy={action.isBusy}>
            {action.isBusy ? 'Running …' : `Run ${plural(steps.length, 'step')}`}
          </Button>
          {runningId === undefined || !action.isBusy ? null : (
            <Button onClick={() => void client.cancelOperation(runningId).catch(() => {})}>Cancel the run</Button>
          )}
        </div>
        {wasTried && !canRun ? (
          <p className="field-error" role="alert">
            Some steps cannot be sent yet; what is missing stands beside the fields.
          </p>
        ) : null}
        <ProblemNote problem={action.problem} />
      </form>
      <div aria-live="polite">{answer === undefined ? null : <BatchResult answer={answer} />}</div>
      {canRun ? (
        <details>
          <summary>As a request</summary>
          <CodeView label="Body of POST /v1/tools/batch_call" text={writeExactLines(toRequest(steps))} />
        </details>
      ) : null}
    </Page>
  );
}

function BatchResult({ answer }: { readonly answer: Answers['callBatch'] }) {
  const { ok, results, total_duration_us: total, trace_id: trace } = answer;
  return (
    <Section title="Result">
      <p className="row">
        <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'All steps done' : 'Not all steps are done'}</Badge>
        <span className="muted">
          {results.filter((result) => result.ok).length} of {plural(results.length, 'step')} done in{' '}
          {formatDuration(total / 1000)}
        </span>
        <WhyLink id={trace} of="did the batch end so" />
      </p>
      <ol className="stack steps">
        {results.map(({ id, ok: isDone, capability_id: capability, duration_us: duration, data, error }) => (
          <li key={id} className="stack">
            <p className="row">
              <strong>
                <VisibleText text={id} />
              </strong>
              <span className="mono">
                <VisibleText text={capability} />
              </span>
              <Badge tone={isDone ? 'good' : 'bad'}>{isDone ? 'Done' : 'Failed'}</Badge>
              <span className="muted">{formatDuration(duration / 1000)}</span>
            </p>
            {error == null ? null : (
              <p className="field-error">
                <VisibleText text={error} />
              </p>
            )}
            {data === undefined ? null : <JsonView label={`Data of ${id}`} value={data} />}
          </li>
        ))}
      </ol>
    </Section>
  );
}
