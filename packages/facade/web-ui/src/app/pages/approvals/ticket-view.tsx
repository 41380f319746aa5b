// One ticket: who wants to run what, with which arguments, by which rule, what happened before, and what was decided.
import { argumentLines, changeLines, type Envelope, ruleText, ticketTitleOf } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { JsonView } from '../../components/code-view.js';
import { Countdown } from '../../components/countdown.js';
import { DiffView } from '../../components/diff-view.js';
import { Moment } from '../../components/moment.js';
import { Page, Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { often } from '../../data/queries.js';
import { useClient, useIsAdmin } from '../../data/session.js';
import { RiskBadges } from '../../decisions/risk-badges.js';
import { diffOf } from '../../lib/args-diff.js';
import { WhyLink } from '../../why/why-link.js';
import { Before } from './before.js';
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
  const [grantId, setGrantId] = useState<string | undefined>(undefined);
  const approval = ticket.data?.approval;
  return (
    <Page
      title={approval === undefined ? id : ticketTitleOf(approval)}
      lead={<Link href="/approvals">Back to the queue</Link>}
      actions={approval === undefined ? null : <State ticket={approval} />}
    >
      <QueryView query={ticket} what="the ticket">
        {({ approval: shown }) => <Shown ticket={shown} grantId={grantId} onGranted={setGrantId} />}
      </QueryView>
    </Page>
  );
}

function State({ ticket }: { readonly ticket: Ticket }) {
  const { capability_id: capability, status, expires_at: expires } = ticket;
  return (
    <>
      <RiskBadges capability={capability} />
      <TicketBadge status={status.status} />
      {status.status === 'pending' ? <Countdown untilMs={expires * 1000} over="expired" /> : null}
    </>
  );
}

interface ShownProps {
  readonly ticket: Ticket;
  /** The grant that was made here with the approval. */
  readonly grantId: string | undefined;
  onGranted(grantId: string): void;
}

function Shown({ ticket, grantId, onGranted }: ShownProps) {
  const { status, args, result, view } = ticket;
  const isPending = status.status === 'pending';
  return (
    <>
      <Section title="Request">
        {view.description === null ? null : (
          <blockquote className="quote">
            <VisibleText text={view.description} /> <span className="hint">text of the server</span>
          </blockquote>
        )}
        {view.reasked ? <LineList label="Definition, then and now" lines={changeLines(view)} /> : null}
        <LineList label="Requested arguments" lines={argumentLines(view.arguments)} />
        {view.arguments.complete ? null : <p>Not all of it is shown here: the arguments below are complete.</p>}
        {view.changes_complete ? null : (
          <p>The difference is larger than what is shown: see the catalog for all of it.</p>
        )}
        {isPending ? null : <JsonView label="Arguments as asked" value={args} />}
        <Facts ticket={ticket} />
      </Section>
      {isPending ? <Decide ticket={ticket} onGranted={onGranted} /> : null}
      {grantId === undefined ? null : <Remembered grantId={grantId} />}
      {status.modified_args === undefined ? null : (
        <Section title="Edited arguments">
          <DiffView label="Arguments, before and after" lines={diffOf(args, status.modified_args)} />
        </Section>
      )}
      {result === undefined ? null : <Result result={result as unknown as Envelope} />}
    </>
  );
}

function Remembered({ grantId }: { readonly grantId: string }) {
  return (
    <Section title="Remembered" lead="Equal calls do not wait for a person while the grant lasts.">
      <p>
        <Link href={`/safety/grants?${new URLSearchParams({ id: grantId })}`}>{grantId}</Link>
      </p>
    </Section>
  );
}

function Decide({ ticket, onGranted }: Pick<ShownProps, 'ticket' | 'onGranted'>) {
  if (!useIsAdmin()) return <p role="note">Waits for an administrator: this role may not decide.</p>;
  return (
    <Section title="Decide" lead="You may change the arguments: the call runs with what you approve.">
      <DecisionForm ticket={ticket} onGranted={onGranted} />
    </Section>
  );
}

function Facts({ ticket }: { readonly ticket: Ticket }) {
  const { id, capability_id: capability, kind, status, created_at: asked, rule, view } = ticket;
  return (
    <dl className="facts">
      <Fact name="Why">
        {rule === undefined ? null : (
          <>
            rule{' '}
            <Link href="/policy">
              <VisibleText text={ruleText(rule)} />
            </Link>{' '}
          </>
        )}
        <WhyLink id={id} of="does it wait" />
      </Fact>
      <Before ticket={ticket} />
      <Fact name="Changed?">
        {view.reasked
          ? 'Its definition changed since this was asked; see above.'
          : 'Its definition is the one it was asked for.'}
      </Fact>
      <Fact name={kind === 'tool' ? 'Tool' : kind === 'resource' ? 'Resource' : 'Prompt'}>
        <Link href={`/catalog?${new URLSearchParams({ kind: `${kind}s`, id: capability })}`} className="mono">
          <VisibleText text={capability} />
        </Link>
      </Fact>
      <Fact name="Asked">
        <Moment at={new Date(asked * 1000)} /> <span className="hint mono">{id}</span>
      </Fact>
      {status.operator === undefined ? null : (
        <Fact name="Decided by">
          <VisibleText text={status.operator} />
        </Fact>
      )}
      {status.reason === undefined ? null : (
        <Fact name="Reason">
          <VisibleText text={status.reason} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Result({ result }: { readonly result: Envelope }) {
  return (
    <Section title="Outcome of the call">
      <p className="row">
        <Link href={`/audit?trace_id=${result.trace_id}`}>Its records in the audit log</Link>
        <WhyLink id={result.trace_id} of="did it end so" />
      </p>
      <JsonView label={result.ok ? 'Result' : 'Failure'} value={result.ok ? result.data : result.error} />
    </Section>
  );
}
