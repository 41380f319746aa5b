// Everything that waits for a person: a lock that cannot be used, calls to approve, soonest first, questions of servers,
// logins, servers that crashed, definitions that are held.
import {
  askedOf,
  crashedText,
  crashReason,
  heldText,
  type LockNeeds,
  lockFaultText,
  needDetails,
  needVerbs,
  nothingNeeded,
  type ServerInfo,
  type ShownSamplingTicket,
  type TaskRecord,
} from '@portico/contracts';
import { type ComponentType, Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/button.js';
import { Countdown } from '../../components/countdown.js';
import { ExternalLink } from '../../components/external-link.js';
import { Section } from '../../components/page.js';
import { ProblemNote } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient, useIsAdmin } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { DecisionRow } from '../../decisions/decision-row.js';
import { TicketRow } from '../../decisions/ticket-row.js';
import { useHeldRows } from '../../decisions/use-held-rows.js';
import { shownOf } from '../../decisions/waiting-tickets.js';
import { type Needs, useNeeds } from './use-needs.js';

interface Need {
  readonly key: string;
  render(isGone: boolean): ReactNode;
}

export function NeedsYou() {
  const needs = useNeeds();
  const { rows, listProps } = useHeldRows(needsOf(needs));
  const more = shownOf(needs.tickets.length, needs.waitingCount);
  if (rows.length === 0)
    return (
      <p className="needs-none" role="status">
        {needs.isLoading ? 'Looking for what needs you …' : nothingNeeded}
      </p>
    );
  return (
    <Section
      title={`Needs you (${needs.count})`}
      actions={needs.waitingCount > 0 ? <Link href="/approvals">All approvals</Link> : null}
    >
      <ul className="needs" {...listProps}>
        {rows.map(({ item, isGone }) => (
          <Fragment key={item.key}>{item.render(isGone)}</Fragment>
        ))}
      </ul>
      {more === undefined ? null : <p className="hint">{more} calls that wait, soonest expiry first.</p>}
    </Section>
  );
}

function needsOf({ faults, tickets, questions, requests, logins, crashed, held }: Needs): readonly Need[] {
  return [
    ...faults.map((fault) => needOf('lock', LockFaultRow, { fault })),
    ...tickets.map((ticket) => needOf(`ticket ${ticket.id}`, TicketRow, { ticket })),
    ...questions.map((task) => needOf(`task ${task.task_id}`, QuestionRow, { task })),
    ...requests.map((request) => needOf(`request ${request.id}`, RequestRow, { request })),
    ...logins.map((server) => needOf(`login ${server.id}`, LoginRow, { server })),
    ...crashed.map((server) => needOf(`crash ${server.id}`, CrashedRow, { server })),
    ...held.map((server) => needOf(`held ${server.id}`, HeldRow, { server })),
  ];
}

function needOf<P extends object>(key: string, Of: ComponentType<P & { readonly isGone: boolean }>, props: P): Need {
  return { key, render: (isGone) => <Of {...props} isGone={isGone} /> };
}

interface RowProps {
  readonly isGone: boolean;
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  readonly time?: ReactNode;
  readonly children: ReactNode;
}

function Row({ isGone, title, detail, time, children }: RowProps) {
  return (
    <DecisionRow isGone={isGone} time={time} over="done" actions={children}>
      <span className="need-title">{title}</span>
      {detail === undefined ? null : <div className="need-detail">{detail}</div>}
    </DecisionRow>
  );
}

interface Held {
  readonly isGone: boolean;
}

function QuestionRow({ task, isGone }: { readonly task: TaskRecord } & Held) {
  const { task_id: id, capability_id: capability, client } = task;
  return (
    <Row
      isGone={isGone}
      title={
        <>
          <VisibleText text={askedOf({ client })} /> {needVerbs.question}{' '}
          <strong>
            <VisibleText text={capability} />
          </strong>
        </>
      }
      detail={<span className="muted">{needDetails.question}</span>}
    >
      <Link href={`/tasks?id=${encodeURIComponent(id)}`} className="button is-primary" data-key="Enter">
        Answer<span className="visually-hidden"> {id}</span>
      </Link>
    </Row>
  );
}

function RequestRow({ request, isGone }: { readonly request: ShownSamplingTicket } & Held) {
  const { id, server_id: server, expires_at: expires } = request;
  return (
    <Row
      isGone={isGone}
      title={
        <>
          <strong>
            <VisibleText text={server} />
          </strong>{' '}
          {needVerbs.request}
        </>
      }
      detail={<span className="muted">{needDetails.request}</span>}
      time={<Countdown untilMs={expires * 1000} over="expired" />}
    >
      <Link href="/tasks?tab=sampling" className="button is-primary" data-key="Enter">
        Answer<span className="visually-hidden"> {id}</span>
      </Link>
    </Row>
  );
}

function LoginRow({ server, isGone }: { readonly server: ServerInfo } & Held) {
  return (
    <Row
      isGone={isGone}
      title={
        <>
          Server{' '}
          <strong>
            <VisibleText text={server.id} />
          </strong>{' '}
          {needVerbs.login}
        </>
      }
    >
      <ExternalLink url={server.login_url ?? ''} label="Log in" />
    </Row>
  );
}

function CrashedRow({ server, isGone }: { readonly server: ServerInfo } & Held) {
  const { id } = server;
  const isAdmin = useIsAdmin();
  const client = useClient();
  const restart = useAction(
    () => client.restartServer(id),
    ({ status }) => `${id} is restarted; it is ${status}`,
  );
  const path = `/servers/${encodeURIComponent(id)}`;
  return (
    <Row
      isGone={isGone}
      title={
        <Link href={path} data-key="Enter">
          Server{' '}
          <strong>
            <VisibleText text={id} />
          </strong>{' '}
          {crashedText(server)}
        </Link>
      }
      detail={
        <>
          <span className="server-error">
            <VisibleText text={crashReason(server)} />
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

function HeldRow({ server, isGone }: { readonly server: LockNeeds['held'][number] } & Held) {
  const { id } = server;
  return (
    <Row
      isGone={isGone}
      title={
        <>
          Server{' '}
          <strong>
            <VisibleText text={id} />
          </strong>{' '}
          {heldText(server)}
        </>
      }
    >
      <Link
        href={`/safety/changes?${new URLSearchParams({ server: id })}`}
        className="button is-primary"
        data-key="Enter"
      >
        Review<span className="visually-hidden"> the changes of {id}</span>
      </Link>
    </Row>
  );
}

function LockFaultRow({ fault, isGone }: { readonly fault: string } & Held) {
  return (
    <Row
      isGone={isGone}
      title={lockFaultText}
      detail={
        <span className="server-error">
          <VisibleText text={fault} />
        </span>
      }
    >
      <Link href="/safety/changes" className="button is-primary" data-key="Enter">
        Open Changes
      </Link>
    </Row>
  );
}
