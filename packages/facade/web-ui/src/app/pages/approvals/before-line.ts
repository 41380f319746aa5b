// The calls of an agent before its request, in words. Only computations.
import { type AuditStatus, auditStatuses } from '@portico/contracts';
import { plural } from '../../lib/format.js';
import type { Ticket } from './ticket.js';

const hourMs = 3_600_000;
const calls: readonly string[] = ['tool_call', 'resource_read', 'prompt_get', 'policy_violation', 'idempotent_replay'];

interface BeforeRecord {
  readonly event_type: string;
  readonly status: string;
  readonly approval_id?: string | undefined;
}

/** Records of the hour that ends when the ticket was opened: of the same agent, as far as it named itself, and server. */
export function beforeFilters({
  client,
  server_id,
  created_at: asked,
}: Pick<Ticket, 'client' | 'server_id' | 'created_at'>) {
  return {
    server_id,
    start_time: new Date(asked * 1000 - hourMs).toISOString(),
    end_time: new Date(asked * 1000).toISOString(),
    ...(client === undefined ? {} : { client: client.name }),
  };
}

/** `at least 998 times in the hour before; the last ones: 990 done, 8 failed`. @param total records that match */
export function beforeLine(events: readonly BeforeRecord[], total: number, ticketId: string): string {
  const counted = events.filter(({ event_type: type, approval_id: of }) => calls.includes(type) && of !== ticketId);
  const isCut = total > events.length;
  const times = counted.length === 0 && !isCut ? 'not once' : plural(counted.length, 'time');
  const outcomes = auditStatuses.flatMap((status) => {
    const count = counted.filter((event) => event.status === status).length;
    return count === 0 ? [] : [`${count} ${words[status]}`];
  });
  const often = isCut ? `at least ${times}` : times;
  const ends = outcomes.length === 0 ? '' : `${isCut ? '; of the last ones' : ''}: ${outcomes.join(', ')}`;
  return `${often} in the hour before${ends}.`;
}

const words: Readonly<Record<AuditStatus, string>> = {
  success: 'done',
  failed: 'failed',
  denied: 'refused',
  intercepted: 'waiting or asked',
  cancelled: 'cancelled',
};
