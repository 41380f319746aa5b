// The audit records of a sampling ticket: that it was opened, answered or left unanswered. Never the messages.
import type { AuditDraft, AuditStatus } from '@portico/audit-chain';
import type { Redactor } from '@portico/policy-engine';
import { originFields, timestampOf } from '../audit/drafts.js';
import type { SamplingTicket } from './ticket.js';

const statuses = { pending: 'intercepted', completed: 'success', expired: 'failed' } as const satisfies Readonly<
  Record<SamplingTicket['status']['status'], AuditStatus>
>;

export function samplingDraft(
  { id, serverId, origin, correlation, status }: SamplingTicket,
  epochMs: number,
  redactor: Pick<Redactor, 'redactText'>,
): AuditDraft {
  return {
    timestamp: timestampOf(epochMs),
    event_type: 'sampling',
    status: statuses[status.status],
    ...(correlation === null ? {} : originFields(redactor, correlation)),
    server_id: serverId,
    details: { ticket_id: id, origin },
  };
}
