// One prompt: its arguments, with what the server proposes for them, and the messages it makes.
import type { PromptListItem } from '@portico/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { Link } from 'wouter';
import { TextField } from '../../components/field.js';
import { Page, Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { usePrompts } from '../../data/queries.js';
import { useClient, useIsAdmin } from '../../data/session.js';
import { OutcomeView } from '../../execution/outcome-view.js';
import { useRun } from '../../execution/use-run.js';
import { toVisible } from '../../lib/visible.js';
import { LastCalls } from './last-calls.js';
import { RunButtons } from './run-tool.js';

export function PromptView({ id }: { readonly id: string }) {
  const list = usePrompts();
  return (
    <Page title={id} lead={<Link href="/catalog?kind=prompts">Back to the prompts</Link>}>
      <QueryView query={list} what="the prompt">
        {({ prompts }) => {
          const prompt = prompts.find((entry) => entry.id === id);
          if (prompt === undefined) return <p>There is no such prompt any more.</p>;
          return <Prompt prompt={prompt} />;
        }}
      </QueryView>
    </Page>
  );
}

function Prompt({ prompt }: { readonly prompt: PromptListItem }) {
  const { id, title, description, server } = prompt;
  const client = useClient();
  const isAdmin = useIsAdmin();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const run = useRun((turn) => client.getPrompt({ prompt_id: id, arguments: given, ...turn }));
  return (
    <>
      <Section title="About">
        <p>
          <VisibleText text={description ?? title ?? 'It does not say what it is for.'} />
        </p>
        <p className="muted">
          Of <Link href={`/servers/${encodeURIComponent(server)}`}>{server}</Link>
        </p>
      </Section>
      <Section title="Get it">
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            run.start();
          }}
        >
          {prompt.arguments.map(toArgument).map((argument) => (
            <ArgumentField
              key={argument.name}
              promptId={id}
              argument={argument}
              value={values[argument.name] ?? ''}
              onValue={(value) => setValues({ ...values, [argument.name]: value })}
            />
          ))}
          <div className="actions">
            <RunButtons run={run} verb="Get" />
          </div>
        </form>
        <OutcomeView run={run} />
      </Section>
      {isAdmin ? <LastCalls id={id} kind="prompts" /> : null}
    </>
  );
}

interface Argument {
  readonly name: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
}

/** As the server gave it. */
function toArgument({ name, description, required }: Readonly<Record<string, unknown>>): Argument {
  const text = typeof description === 'string' ? description : undefined;
  return { name: String(name), description: text, isRequired: required === true };
}

interface ArgumentFieldProps {
  readonly promptId: string;
  readonly argument: Argument;
  readonly value: string;
  onValue(value: string): void;
}

function ArgumentField({ promptId, argument, value, onValue }: ArgumentFieldProps) {
  const { name, description, isRequired } = argument;
  const client = useClient();
  const listId = useId();
  const typed = useDeferredValue(value);
  const [isUsed, setUsed] = useState(false);
  const proposals = useQuery({
    queryKey: ['completion', promptId, name, typed],
    enabled: isUsed,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.complete(
        { ref_type: 'prompt', ref_name: promptId, argument_name: name, argument_value: typed },
        { signal },
      ),
  });
  return (
    <>
      <TextField
        label={`${toVisible(name)}${isRequired ? ' (required)' : ''}`}
        hint={description === undefined ? undefined : <VisibleText text={description} />}
        value={value}
        required={isRequired}
        list={listId}
        onFocus={() => setUsed(true)}
        onValue={onValue}
      />
      <datalist id={listId}>
        {(proposals.data?.data.values ?? []).slice(0, 50).map((proposal) => (
          <option key={proposal} value={proposal} />
        ))}
      </datalist>
    </>
  );
}
