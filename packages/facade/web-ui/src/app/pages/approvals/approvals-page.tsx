// The queue of calls that wait for a person, each a row that can be decided, and those that were decided on.
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { type Column, DataTable } from '../../components/data-table.js';
import { SelectField } from '../../components/field.js';
import { Moment } from '../../components/moment.js';
import { Page, Section } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { Empty, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { often } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { TicketRow, TicketTitle } from '../../decisions/ticket-row.js';
import { useHeldRows } from '../../decisions/use-held-rows.js';
import { useWaiting } from '../../decisions/use-waiting.js';
import { shownOf } from '../../decisions/waiting-tickets.js';
import { WhyLink } from '../../why/why-link.js';
import { type Ticket, TicketBadge } from './ticket.js';
import { TicketView } from './ticket-view.js';

/** `?id=` is one ticket. */
export function ApprovalsPage() {
  const [search] = useSearchParams();
  const id = search.get('id');
  return id === null ? <Queue /> : <TicketView id={id} key={id} />;
}

/** Rows of tickets that wait, and of one page of the others. */
const sizes = { waiting: 500, page: 50 };

function Queue() {
  const [search, setSearch] = useSearchParams();
  const status = search.get('status') ?? 'pending';
  return (
    <Page
      title="Approvals"
      lead="Calls that a rule keeps back until a person decides. An approved call runs once."
      actions={
        <SelectField
          label="Show"
          value={status}
          options={[
            ['pending', 'Waiting'],
            ['approved', 'Approved'],
            ['rejected', 'Rejected'],
            ['expired', 'Expired'],
            ['all', 'All'],
          ]}
          onValue={(next) => setSearch({ status: next })}
        />
      }
    >
      {status === 'pending' ? <WaitingTickets /> : <OtherTickets status={status} />}
    </Page>
  );
}

/** All that wait are one list, so that the one that expires first is on top. */
function WaitingTickets() {
  const waiting = useWaiting();
  return (
    <QueryView query={waiting} what="the tickets">
      {({ tickets, total }) => <Waiting tickets={tickets.slice(0, sizes.waiting)} total={total} />}
    </QueryView>
  );
}

function OtherTickets({ status }: { readonly status: string }) {
  const client = useClient();
  const [search, setSearch] = useSearchParams();
  const offset = Number(search.get('offset') ?? 0);
  const list = useQuery({
    queryKey: ['approvals', status, offset],
    refetchInterval: often,
    queryFn: ({ signal }) =>
      client.listApprovals({ limit: sizes.page, offset, ...(status === 'all' ? {} : { status }) }, { signal }),
  });
  return (
    <QueryView query={list} what="the tickets">
      {({ approvals, total }) => (
        <>
          <Decided tickets={approvals} />
          <Pager
            {...{ offset, total, limit: sizes.page, count: approvals.length }}
            onOffset={(next) => setSearch({ status, offset: String(next) })}
          />
        </>
      )}
    </QueryView>
  );
}

interface WaitingProps {
  readonly tickets: readonly Ticket[];
  readonly total: number;
}

function Waiting({ tickets, total }: WaitingProps) {
  const { rows, listProps } = useHeldRows(tickets.map((ticket) => ({ key: ticket.id, ticket })));
  if (rows.length === 0) return <Empty>Nothing waits for a decision.</Empty>;
  const more = shownOf(tickets.length, total);
  return (
    <Section
      title={`Waiting (${total})`}
      lead={more === undefined ? 'The one that expires first is on top.' : `${more}, soonest expiry first.`}
    >
      <ul className="needs" {...listProps}>
        {rows.map(({ item, isGone }) => (
          <TicketRow key={item.key} ticket={item.ticket} isGone={isGone} />
        ))}
      </ul>
    </Section>
  );
}

function Decided({ tickets }: { readonly tickets: readonly Ticket[] }) {
  return (
    <DataTable
      caption="Tickets, newest first"
      columns={columns}
      rows={tickets}
      keyOf={({ id }) => id}
      empty="There is no such ticket."
    />
  );
}

const columns: readonly Column<Ticket>[] = [
  {
    title: 'What',
    render: (ticket) => (
      <Link href={`/approvals?id=${encodeURIComponent(ticket.id)}`} className="row-link" data-key="Enter">
        <TicketTitle ticket={ticket} />
      </Link>
    ),
  },
  { title: 'Asked', render: ({ created_at: at }) => <Moment at={new Date(at * 1000)} /> },
  { title: 'State', render: ({ status }) => <TicketBadge status={status.status} /> },
  { title: 'Decided by', render: ({ status }) => <VisibleText text={status.operator ?? ''} /> },
  {
    title: 'Why',
    kind: 'actions',
    render: ({ id, capability_id: capability }) => <WhyLink id={id} of={`${capability}, ${id}`} />,
  },
];
