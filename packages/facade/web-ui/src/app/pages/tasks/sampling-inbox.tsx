// Requests of servers for a language model, answered by a person.
import type { ShownSamplingTicket } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { JsonView } from '../../components/code-view.js';
import { Countdown } from '../../components/countdown.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { TextAreaField, TextField } from '../../components/field.js';
import { Modal } from '../../components/modal.js';
import { Moment } from '../../components/moment.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { often } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';

export function useSampling() {
  const client = useClient();
  return useQuery({
    queryKey: ['sampling'],
    refetchInterval: often,
    queryFn: ({ signal }) => client.listSamplingRequests({ limit: 100 }, { signal }),
  });
}

export function SamplingInbox() {
  const [opened, setOpened] = useState<string | undefined>(undefined);
  const list = useSampling();
  return (
    <QueryView query={list} what="the requests">
      {({ requests }) => {
        const ticket = requests.find(({ id }) => id === opened);
        return (
          <>
            <DataTable
              caption="Sampling requests, newest first"
              columns={columns(setOpened)}
              rows={requests}
              keyOf={({ id }) => id}
              empty="No server asks for a message."
            />
            {ticket === undefined ? null : <TicketDialog ticket={ticket} onClose={() => setOpened(undefined)} />}
          </>
        );
      }}
    </QueryView>
  );
}

function columns(onOpen: (id: string) => void): readonly Column<ShownSamplingTicket>[] {
  return [
    {
      title: 'What',
      render: ({ server_id: id, messages }) => (
        <span>
          <Link href={`/servers/${encodeURIComponent(id)}`}>
            <strong>
              <VisibleText text={id} />
            </strong>
          </Link>{' '}
          asks for a message <span className="muted">{excerptOf(messages)}</span>
        </span>
      ),
    },
    { title: 'Asked', render: ({ created_at: at }) => <Moment at={new Date(at * 1000)} /> },
    {
      title: 'State',
      render: ({ status }) => <Badge tone={status === 'pending' ? 'warn' : 'neutral'}>{status}</Badge>,
    },
    {
      title: 'Time',
      render: ({ status, expires_at: at }) =>
        status === 'pending' ? <Countdown untilMs={at * 1000} over="expired" /> : '',
    },
    {
      title: 'Open',
      kind: 'actions',
      render: ({ id, status }) => (
        <Button variant="quiet" data-key="Enter" onClick={() => onOpen(id)}>
          {status === 'pending' ? 'Answer' : 'Open'}
          <span className="visually-hidden"> {id}</span>
        </Button>
      ),
    },
  ];
}

const excerptLength = 80;

/** The beginning of the last text that is asked about. */
function excerptOf(messages: ShownSamplingTicket['messages']): ReactNode {
  const { content } = messages.at(-1) ?? {};
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const text = parts.map(textIn).join(' ').trim();
  return text === '' ? null : (
    <VisibleText text={`“${text.slice(0, excerptLength)}${text.length > excerptLength ? '…' : ''}”`} />
  );
}

function textIn(part: unknown): string {
  if (typeof part === 'string') return part;
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' ? part.text : '';
}

function TicketDialog({ ticket, onClose }: { readonly ticket: ShownSamplingTicket; onClose(): void }) {
  const { id, status, messages, params, result } = ticket;
  return (
    <Modal title={id} isWide onClose={onClose}>
      <div className="stack">
        <JsonView label="Messages" value={messages} />
        {params === undefined ? null : <JsonView label="Other parameters of the request" value={params} />}
        {result === undefined ? null : <JsonView label="Answer" value={result} />}
        {status === 'pending' ? <AnswerForm id={id} onDone={onClose} /> : null}
      </div>
    </Modal>
  );
}

function AnswerForm({ id, onDone }: { readonly id: string; onDone(): void }) {
  const client = useClient();
  const [text, setText] = useState('');
  const [model, setModel] = useState('person');
  const respond = useAction(
    () =>
      client.respondToSamplingRequest(id, {
        role: 'assistant',
        content: { type: 'text', text },
        model,
        stop_reason: 'endTurn',
      }),
    () => `${id} is answered`,
  );
  const send = async () => {
    if ((await respond.run(undefined)) !== undefined) onDone();
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <TextAreaField label="Message" required value={text} onValue={setText} />
      <TextField label="Model" hint="Named to the server as the author." value={model} onValue={setModel} />
      <ProblemNote problem={respond.problem} />
      <div className="actions">
        <Button type="submit" variant="primary" isBusy={respond.isBusy}>
          Send the answer
        </Button>
      </div>
    </form>
  );
}
