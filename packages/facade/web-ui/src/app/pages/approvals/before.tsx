// The calls of this agent at this server in the hour before its request, by outcome.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { beforeFilters, beforeLine } from './before-line.js';
import type { Ticket } from './ticket.js';

/** Records that are counted at most. */
const most = 1000;

export function Before({ ticket }: { readonly ticket: Ticket }) {
  const { client: agent, server_id: server } = ticket;
  const client = useClient();
  const filters = beforeFilters(ticket);
  const before = useQuery({
    queryKey: ['before', ticket.id],
    queryFn: ({ signal }) => client.listAuditEvents({ ...filters, limit: most }, { signal }),
  });
  if (before.data === undefined) return null; // it is being read, or the role may not read the log
  const { events, total } = before.data;
  return (
    <>
      <dt>Before</dt>
      <dd>
        <VisibleText text={agent?.name ?? 'Callers'} /> called <VisibleText text={server} />{' '}
        {beforeLine(events, total, ticket.id)} <Link href={`/audit?${new URLSearchParams(filters)}`}>Show</Link>
      </dd>
    </>
  );
}
