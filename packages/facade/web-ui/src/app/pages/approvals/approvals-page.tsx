// The queue of calls that wait for a person, and those that were decided on.
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { Countdown } from '../../components/countdown.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { SelectField } from '../../components/field.js';
import { Moment } from '../../components/moment.js';
import { Page } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { often } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { type Ticket, TicketBadge } from './ticket.js';
import { TicketView } from './ticket-view.js';

/** `?id=` is one ticket. */
export function ApprovalsPage() {
  const [search] = useSearchParams();
  const id = search.get('id');
  return id === null ? <Queue /> : <TicketView id={id} key={id} />;
}

const pageSize = 50;

function Queue() {
  const client = useClient();
  const [search, setSearch] = useSearchParams();
  const status = search.get('status') ?? 'pending';
  const offset = Number(search.get('offset') ?? 0);
  const list = useQuery({
    queryKey: ['approvals', status, offset],
    refetchInterval: often,
    queryFn: ({ signal }) =>
      client.listApprovals({ limit: pageSize, offset, ...(status === 'all' ? {} : { status }) }, { signal }),
  });
  return (
    <Page title="Approvals" lead="Calls that a rule keeps back until a person decides. An approved call runs once.">
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
      <QueryView query={list} what="the tickets">
        {({ approvals, total }) => (
          <>
            <DataTable
              caption="Tickets, newest first"
              columns={columns}
              rows={approvals}
              keyOf={({ id }) => id}
              empty={status === 'pending' ? 'Nothing waits for a decision.' : 'There is no such ticket.'}
            />
            <Pager
              {...{ offset, total, limit: pageSize, count: approvals.length }}
              onOffset={(next) => setSearch({ status, offset: String(next) })}
            />
          </>
        )}
      </QueryView>
    </Page>
  );
}

const columns: readonly Column<Ticket>[] = [
  {
    title: 'Ticket',
    render: ({ id }) => (
      <Link href={`/approvals?id=${encodeURIComponent(id)}`} className="mono">
        {id}
      </Link>
    ),
  },
  { title: 'What', kind: 'code', render: ({ capability_id: id }) => <VisibleText text={id} /> },
  { title: 'Asked', render: ({ created_at: at }) => <Moment at={new Date(at * 1000)} /> },
  { title: 'State', render: ({ status }) => <TicketBadge status={status.status} /> },
  {
    title: 'Time',
    render: ({ status, expires_at: at }) =>
      status.status === 'pending' ? <Countdown untilMs={at * 1000} over="expired" /> : (status.operator ?? ''),
  },
];
