// What this agent did at this server in the last hour, by how it ended.
import { auditStatuses } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { plural } from '../../lib/format.js';
import type { Ticket } from './ticket.js';

const hourMs = 3_600_000;
/** Records that are counted at most. */
const most = 1000;
const calls: readonly string[] = ['tool_call', 'resource_read', 'prompt_get', 'policy_violation', 'idempotent_replay'];

export function Before({ ticket }: { readonly ticket: Ticket }) {
  const { client: agent, server_id: server, created_at: asked } = ticket;
  const client = useClient();
  const filters = {
    server_id: server,
    start_time: new Date(asked * 1000 - hourMs).toISOString(),
    ...(agent === undefined ? {} : { client: agent.name }),
  };
  const before = useQuery({
    queryKey: ['before', ticket.id],
    queryFn: ({ signal }) => client.listAuditEvents({ ...filters, limit: most }, { signal }),
  });
  const events = before.data?.events.filter(
    ({ event_type: type, approval_id: of }) => calls.includes(type) && of !== ticket.id,
  );
  if (events === undefined) return null; // it is being read, or the role may not read the log
  const counts = auditStatuses.flatMap((status) => {
    const count = events.filter((event) => event.status === status).length;
    return count === 0 ? [] : [`${count} ${words[status]}`];
  });
  return (
    <>
      <dt>Before</dt>
      <dd>
        <VisibleText text={agent?.name ?? 'Callers'} /> called <VisibleText text={server} />{' '}
        {events.length === 0 ? 'not once' : plural(events.length, 'time')} in the hour before
        {counts.length === 0 ? '' : `: ${counts.join(', ')}`}.{' '}
        <Link href={`/audit?${new URLSearchParams(filters)}`}>Show</Link>
      </dd>
    </>
  );
}

const words = {
  success: 'done',
  failed: 'failed',
  denied: 'refused',
  intercepted: 'waiting or asked',
  cancelled: 'cancelled',
} as const;
