// What waits for a person, soonest first: calls to approve, questions of servers, logins, servers that crashed.
import type { ServerInfo, ShownSamplingTicket, TaskRecord } from '@portico/contracts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/button.js';
import { Countdown } from '../../components/countdown.js';
import { ExternalLink } from '../../components/external-link.js';
import { Section } from '../../components/page.js';
import { ProblemNote } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient, useIsAdmin } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { TicketRow } from '../../decisions/ticket-row.js';
import { reasonOf } from '../../lib/server-order.js';
import { useNeeds } from './use-needs.js';

export function NeedsYou() {
  const { tickets, questions, requests, logins, crashed, count, isLoading } = useNeeds();
  if (count === 0)
    return (
      <p className="needs-none" role="status">
        {isLoading ? 'Looking for what needs you …' : 'Nothing needs you.'}
      </p>
    );
  return (
    <Section
      title={`Needs you (${count})`}
      actions={tickets.length > 0 ? <Link href="/approvals">All approvals</Link> : null}
    >
      <ul className="needs">
        {tickets.map((ticket) => (
          <TicketRow key={ticket.id} ticket={ticket} />
        ))}
        {questions.map((task) => (
          <QuestionRow key={task.task_id} task={task} />
        ))}
        {requests.map((request) => (
          <RequestRow key={request.id} request={request} />
        ))}
        {logins.map((server) => (
          <LoginRow key={server.id} server={server} />
        ))}
        {crashed.map((server) => (
          <CrashedRow key={server.id} server={server} />
        ))}
      </ul>
    </Section>
  );
}

interface RowProps {
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  readonly time?: ReactNode;
  readonly children: ReactNode;
}

function Row({ title, detail, time, children }: RowProps) {
  return (
    <li className="need" data-row tabIndex={-1}>
      <div className="need-text">
        <span className="need-title">{title}</span>
        {detail === undefined ? null : <div className="need-detail">{detail}</div>}
      </div>
      {time}
      <div className="actions">{children}</div>
    </li>
  );
}

function QuestionRow({ task }: { readonly task: TaskRecord }) {
  const { task_id: id, capability_id: capability, client } = task;
  return (
    <Row
      title={
        <>
          <VisibleText text={client?.name ?? 'A caller'} /> is asked by{' '}
          <strong>
            <VisibleText text={capability} />
          </strong>
        </>
      }
      detail={<span className="muted">The call waits as a task for an answer.</span>}
    >
      <Link href={`/tasks?id=${encodeURIComponent(id)}`} className="button is-primary" data-key="Enter">
        Answer<span className="visually-hidden"> {id}</span>
      </Link>
    </Row>
  );
}

function RequestRow({ request }: { readonly request: ShownSamplingTicket }) {
  const { id, server_id: server, expires_at: expires } = request;
  return (
    <Row
      title={
        <>
          <strong>
            <VisibleText text={server} />
          </strong>{' '}
          asks a model for a message
        </>
      }
      detail={<span className="muted">You may answer in its place.</span>}
      time={<Countdown untilMs={expires * 1000} over="expired" />}
    >
      <Link href="/tasks?tab=sampling" className="button is-primary" data-key="Enter">
        Answer<span className="visually-hidden"> {id}</span>
      </Link>
    </Row>
  );
}

function LoginRow({ server }: { readonly server: ServerInfo }) {
  return (
    <Row
      title={
        <>
          Server{' '}
          <strong>
            <VisibleText text={server.id} />
          </strong>{' '}
          waits until you log in
        </>
      }
    >
      <ExternalLink url={server.login_url ?? ''} label="Log in" />
    </Row>
  );
}

function CrashedRow({ server }: { readonly server: ServerInfo }) {
  const { id, restarts } = server;
  const isAdmin = useIsAdmin();
  const client = useClient();
  const restart = useAction(
    () => client.restartServer(id),
    ({ status }) => `${id} is restarted; it is ${status}`,
  );
  const path = `/servers/${encodeURIComponent(id)}`;
  return (
    <Row
      title={
        <Link href={path} data-key="Enter">
          Server{' '}
          <strong>
            <VisibleText text={id} />
          </strong>{' '}
          crashed {restarts === 0 ? '' : `${restarts} times`}
        </Link>
      }
      detail={
        <>
          <span className="server-error">
            <VisibleText text={reasonOf(server) ?? 'It gave no reason.'} />
          </span>
          <ProblemNote problem={restart.problem} />
        </>
      }
    >
      {isAdmin ? (
        <Button isBusy={restart.isBusy} onClick={() => void restart.run(undefined)}>
          Restart<span className="visually-hidden"> {id}</span>
        </Button>
      ) : null}
      <Link href={path} className="button is-plain">
        Log<span className="visually-hidden"> of {id}</span>
      </Link>
    </Row>
  );
}
