// The arguments of a tool as a form or as JSON, one and the same value, and the run itself.
import { type CapabilityDetail, type JsonObject, writeExactLines } from '@portico/contracts';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { BrokenBoundary } from '../../components/broken-boundary.js';
import { Button } from '../../components/button.js';
import { JsonField } from '../../components/json-field.js';
import { Loading } from '../../components/states.js';
import { Tabs } from '../../components/tabs.js';
import { useToast } from '../../components/toasts.js';
import { useClient } from '../../data/session.js';
import { OutcomeView } from '../../execution/outcome-view.js';
import { areUsable, noOptions, RunOptionsFields, toCallOptions, toModifiers } from '../../execution/run-options.js';
import { type Run, useRun } from '../../execution/use-run.js';
import { parseJsonObject } from '../../lib/json-text.js';
import { messageFor } from '../../lib/problem.js';

const SchemaForm = lazy(async () => ({ default: (await import('../../components/schema-form.js')).SchemaForm }));

/** Characters of a schema that a form is made from; a larger one is a wall of fields. */
const largestSchema = 60_000;

export function RunTool({ tool }: { readonly tool: CapabilityDetail }) {
  const client = useClient();
  const canBeForm = JSON.stringify(tool.input_schema).length <= largestSchema;
  const [view, setView] = useState<'form' | 'json'>(canBeForm ? 'form' : 'json');
  const [args, setArgs] = useState<JsonObject>({});
  const [text, setText] = useState('{}');
  const [options, setOptions] = useState(noOptions);
  const run = useRun((turn) =>
    client.callTool(
      { capability_id: tool.id, args: { ...args, ...toModifiers(options) }, ...turn },
      toCallOptions(options),
    ),
  );
  const toast = useToast();
  const parsed = parseJsonObject(text);
  const changeArgs = (next: JsonObject) => {
    setArgs(next);
    setText(writeExactLines(next));
  };
  const changeText = (next: string) => {
    setText(next);
    const value = parseJsonObject(next);
    if (value.ok) setArgs(value.value as JsonObject);
  };
  const start = () => {
    if (areUsable(options)) run.start();
  };
  const buttons = <RunButtons run={run} />;
  const asJson = (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (parsed.ok) start();
      }}
    >
      <JsonField label="Arguments" text={text} error={argumentsError(run)} onText={changeText} />
      <div className="actions">{buttons}</div>
    </form>
  );
  return (
    <div className="stack">
      <Tabs<'form' | 'json'>
        label="Arguments as"
        selected={view}
        onSelect={(next) => {
          if (parsed.ok) setView(next);
          else toast('The form cannot take this JSON over; correct it first');
        }}
        tabs={[
          { id: 'form', title: 'Form' },
          { id: 'json', title: 'JSON' },
        ]}
      >
        {view === 'json' ? (
          asJson
        ) : (
          <BrokenBoundary isExpected fallback={<NoForm>{asJson}</NoForm>}>
            <Suspense fallback={<Loading what="the form" />}>
              <SchemaForm
                schema={tool.input_schema}
                value={args}
                idPrefix="args"
                refusals={refusalsOf(run)}
                onValue={changeArgs}
                onSubmit={start}
              >
                {buttons}
              </SchemaForm>
            </Suspense>
          </BrokenBoundary>
        )}
      </Tabs>
      <RunOptionsFields options={options} onOptions={setOptions} />
      <OutcomeView run={run} />
    </div>
  );
}

/** Messages of the service about single arguments, by their paths. */
function refusalsOf({ outcome }: Run): Readonly<Record<string, string>> {
  const named = outcome?.kind === 'failure' ? Object.entries(outcome.problem.fields) : [];
  return Object.fromEntries(
    named.flatMap(([path, message]) => (path.startsWith('args.') ? [[path.slice('args.'.length), message]] : [])),
  );
}

/** The message of the service about the arguments, shown beside them. */
function argumentsError({ outcome }: Run): string | undefined {
  return outcome?.kind === 'failure' ? messageFor(outcome.problem, 'args') : undefined;
}

export function RunButtons({ run, verb = 'Run' }: { readonly run: Run; readonly verb?: string }) {
  return (
    <>
      <Button type="submit" variant="primary" isBusy={run.isRunning}>
        {run.isRunning ? 'Running …' : verb}
      </Button>
      {run.isRunning ? <Button onClick={run.cancel}>Cancel the run</Button> : null}
      {run.outcome === undefined || run.isRunning ? null : <Button onClick={run.clear}>Clear the result</Button>}
    </>
  );
}

/** A schema that the form library cannot read leaves the arguments as JSON. */
function NoForm({ children }: { readonly children: ReactNode }) {
  return (
    <div className="stack">
      <p className="note">No form can be made from the schema of this tool; write its arguments as JSON.</p>
      {children}
    </div>
  );
}
