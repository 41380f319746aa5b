// One ticket: what was asked, by which rule of time, and what was decided.
import { argumentLines, changeLines, type Envelope } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { JsonView } from '../../components/code-view.js';
import { Countdown } from '../../components/countdown.js';
import { DiffView } from '../../components/diff-view.js';
import { Moment } from '../../components/moment.js';
import { Page, Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { often } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { diffOf } from '../../lib/args-diff.js';
import { DecisionForm } from './decision-form.js';
import { LineList } from './line-list.js';
import { type Ticket, TicketBadge } from './ticket.js';

export function TicketView({ id }: { readonly id: string }) {
  const client = useClient();
  const ticket = useQuery({
    queryKey: ['approval', id],
    refetchInterval: often,
    queryFn: ({ signal }) => client.getApproval(id, { signal }),
  });
  return (
    <Page title={id} lead={<Link href="/approvals">Back to the queue</Link>}>
      <QueryView query={ticket} what="the ticket">
        {({ approval }) => <Shown ticket={approval} />}
      </QueryView>
    </Page>
  );
}

function Shown({ ticket }: { readonly ticket: Ticket }) {
  const { status, args, result, view } = ticket;
  const isPending = status.status === 'pending';
  return (
    <>
      <Section title="What is asked">
        <Facts ticket={ticket} />
        {view.reasked ? <LineList label="Definition, then and now" lines={changeLines(view)} /> : null}
        <LineList label="What is asked to run" lines={argumentLines(view.arguments)} />
        {view.arguments.complete ? null : <p>Not all of it is shown here: the arguments below are complete.</p>}
        {view.changes_complete ? null : (
          <p>The difference is larger than what is shown: see the catalog for all of it.</p>
        )}
        {isPending ? null : <JsonView label="Arguments as asked" value={args} />}
      </Section>
      {isPending ? (
        <Section title="Decide" lead="You may change the arguments: the call runs with what you approve.">
          <DecisionForm ticket={ticket} />
        </Section>
      ) : null}
      {status.modified_args === undefined ? null : (
        <Section title="What was changed">
          <DiffView label="Arguments, before and after" lines={diffOf(args, status.modified_args)} />
        </Section>
      )}
      {result === undefined ? null : <Result result={result as unknown as Envelope} />}
    </>
  );
}

function Facts({ ticket }: { readonly ticket: Ticket }) {
  const { capability_id: id, kind, status, created_at: asked, expires_at: expires, view } = ticket;
  return (
    <dl className="facts">
      <dt>{kind === 'tool' ? 'Tool' : kind === 'resource' ? 'Resource' : 'Prompt'}</dt>
      <dd className="mono">
        <VisibleText text={id} />
      </dd>
      {view.description === null ? null : (
        <>
          <dt>Description</dt>
          <dd>
            <VisibleText text={view.description} />
          </dd>
        </>
      )}
      <dt>State</dt>
      <dd className="row">
        <TicketBadge status={status.status} />
        {status.status === 'pending' ? <Countdown untilMs={expires * 1000} over="expired" /> : null}
      </dd>
      <dt>Asked</dt>
      <dd>
        <Moment at={new Date(asked * 1000)} />
      </dd>
      {status.operator === undefined ? null : (
        <>
          <dt>Decided by</dt>
          <dd>
            <VisibleText text={status.operator} />
          </dd>
        </>
      )}
      {status.reason === undefined ? null : (
        <>
          <dt>Reason</dt>
          <dd>
            <VisibleText text={status.reason} />
          </dd>
        </>
      )}
    </dl>
  );
}

function Result({ result }: { readonly result: Envelope }) {
  return (
    <Section title="What came of it">
      <p>
        <Link href={`/audit?trace_id=${result.trace_id}`}>Its records in the audit log</Link>
      </p>
      <JsonView label={result.ok ? 'Result' : 'Failure'} value={result.ok ? result.data : result.error} />
    </Section>
  );
}
