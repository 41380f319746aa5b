// The questions of a server while a call runs, and the answers of the person who made the call.
import { isJsonObject, type JsonObject } from '@portico/contracts';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { BrokenBoundary } from '../components/broken-boundary.js';
import { Button } from '../components/button.js';
import { CodeView, JsonView } from '../components/code-view.js';
import { ExternalLink } from '../components/external-link.js';
import { TextAreaField } from '../components/field.js';
import { JsonField } from '../components/json-field.js';
import { Loading } from '../components/states.js';
import { VisibleText } from '../components/visible-text.js';
import { parseJsonObject } from '../lib/json-text.js';

const SchemaForm = lazy(async () => ({ default: (await import('../components/schema-form.js')).SchemaForm }));

interface QuestionFormProps {
  readonly inputRequests: Readonly<Record<string, JsonObject>>;
  readonly isBusy: boolean;
  /** Bare results by the keys of the requests. */
  onAnswers(answers: Readonly<Record<string, JsonObject>>): void;
}

/** Asks one question after the other, and hands all answers over with the last. */
export function QuestionForm({ inputRequests, isBusy, onAnswers }: QuestionFormProps) {
  const [answers, setAnswers] = useState<Readonly<Record<string, JsonObject>>>({});
  const open = Object.entries(inputRequests).filter(([key]) => answers[key] === undefined);
  const [next] = open;
  const answer = (key: string, result: JsonObject) => {
    const all = { ...answers, [key]: result };
    setAnswers(all);
    if (open.length === 1) onAnswers(all);
  };
  if (next === undefined) return <Loading what="the outcome of the answers" />;
  const [key, request] = next;
  const params = isJsonObject(request.params) ? request.params : {};
  const shared = { params, isBusy, onAnswer: (result: JsonObject) => answer(key, result) };
  return (
    <section className="question stack" aria-label="Question of the server" key={key}>
      <h3>The server asks</h3>
      {request.method === 'elicitation/create' ? (
        <Elicitation {...shared} />
      ) : request.method === 'sampling/createMessage' ? (
        <Sampling {...shared} />
      ) : (
        <Other {...shared} method={String(request.method)} />
      )}
    </section>
  );
}

interface AnswerProps {
  readonly params: JsonObject;
  readonly isBusy: boolean;
  onAnswer(result: JsonObject): void;
}

function Elicitation({ params, isBusy, onAnswer }: AnswerProps) {
  const [value, setValue] = useState<JsonObject>({});
  const refusals = (
    <>
      <Button onClick={() => onAnswer({ action: 'decline' })}>Decline</Button>
      <Button onClick={() => onAnswer({ action: 'cancel' })}>Cancel the question</Button>
    </>
  );
  const message = <p>{typeof params.message === 'string' ? <VisibleText text={params.message} /> : null}</p>;
  if (params.mode === 'url' || typeof params.url === 'string')
    return (
      <>
        {message}
        <p>
          <ExternalLink url={String(params.url)} label="Go on" />
        </p>
        <div className="actions">
          <Button variant="primary" isBusy={isBusy} onClick={() => onAnswer({ action: 'accept' })}>
            I have done so
          </Button>
          {refusals}
        </div>
      </>
    );
  const accept = (content: JsonObject) => onAnswer({ action: 'accept', content });
  const schema = isJsonObject(params.requestedSchema) ? params.requestedSchema : { type: 'object' };
  return (
    <>
      {message}
      <BrokenBoundary isExpected fallback={<AnswerAsJson isBusy={isBusy} onContent={accept} refusals={refusals} />}>
        <Suspense fallback={<Loading what="the form" />}>
          <SchemaForm schema={schema} value={value} idPrefix="question" onValue={setValue} onSubmit={accept}>
            <Button type="submit" variant="primary" isBusy={isBusy}>
              Answer
            </Button>
            {refusals}
          </SchemaForm>
        </Suspense>
      </BrokenBoundary>
    </>
  );
}

interface AnswerAsJsonProps {
  readonly isBusy: boolean;
  readonly refusals: ReactNode;
  onContent(content: JsonObject): void;
}

/** Where no form can be made from what the server asks. */
function AnswerAsJson({ isBusy, refusals, onContent }: AnswerAsJsonProps) {
  const [text, setText] = useState('{}');
  const submit = () => {
    const parsed = parseJsonObject(text);
    if (parsed.ok) onContent(parsed.value as JsonObject);
  };
  return (
    <AnswerForm isBusy={isBusy} onSubmit={submit} refusals={refusals}>
      <JsonField label="Answer" text={text} onText={setText} rows={4} />
    </AnswerForm>
  );
}

function Sampling({ params, isBusy, onAnswer }: AnswerProps) {
  const [text, setText] = useState('');
  const submit = () => onAnswer({ role: 'assistant', content: { type: 'text', text }, model: 'person' });
  return (
    <AnswerForm isBusy={isBusy} onSubmit={submit}>
      <p>It wants a message of a language model. You answer in its place.</p>
      <JsonView label="Messages" value={params.messages ?? []} />
      <TextAreaField label="Message" value={text} required onValue={setText} />
    </AnswerForm>
  );
}

function Other({ method, params, isBusy, onAnswer }: AnswerProps & { readonly method: string }) {
  const [text, setText] = useState(method === 'roots/list' ? '{"roots": []}' : '{}');
  const submit = () => {
    const parsed = parseJsonObject(text);
    if (parsed.ok) onAnswer(parsed.value as JsonObject);
  };
  return (
    <AnswerForm isBusy={isBusy} onSubmit={submit}>
      <CodeView label={method} text={JSON.stringify(params, null, 2)} />
      <JsonField label="Result" text={text} onText={setText} rows={4} />
    </AnswerForm>
  );
}

interface AnswerFormProps {
  readonly isBusy: boolean;
  readonly refusals?: ReactNode;
  onSubmit(): void;
  readonly children: ReactNode;
}

function AnswerForm({ isBusy, refusals, onSubmit, children }: AnswerFormProps) {
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <div className="actions">
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Answer
        </Button>
        {refusals}
      </div>
    </form>
  );
}
