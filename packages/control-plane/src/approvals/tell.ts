// What is told of a ticket's steps: one audit event each, and a notice to the webhook.
import type { ApprovalNotice, JsonObject } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { AuditEventType, AuditSink, AuditStatus } from '../audit.js';
import type { PlaneState } from '../plane-state.js';
import type { Log, NotifyApproval } from '../ports.js';
import type { Ticket } from './ticket.js';
import { toNoticeTicket } from './wire.js';

export interface TellDeps {
  readonly audit: AuditSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly notify: NotifyApproval;
  readonly state: () => PlaneState;
}

export interface Step {
  readonly eventType: AuditEventType;
  readonly status: AuditStatus;
  readonly event: ApprovalNotice['event'];
}

export const steps = {
  created: { eventType: 'approval_created', status: 'intercepted', event: 'approval.created' },
  approved: { eventType: 'approval_approved', status: 'success', event: 'approval.approved' },
  rejected: { eventType: 'approval_rejected', status: 'denied', event: 'approval.rejected' },
  expired: { eventType: 'approval_expired', status: 'failed', event: 'approval.expired' },
} as const satisfies Readonly<Record<string, Step>>;

/** Leaves the audit event of what happened to a ticket, and tells the webhook. What is done is done: it never rejects. */
export async function tell(
  { audit, clock, log, notify, state }: TellDeps,
  ticket: Ticket,
  { eventType, status, event }: Step,
): Promise<void> {
  const { config, policy } = state();
  const { sanitize, redactText } = policy.redactor;
  const epochMs = clock.epochMs();
  const appended = audit.append({
    eventType,
    status,
    epochMs,
    correlation: ticket.correlation,
    principal: ticket.principal,
    serverId: ticket.serverId,
    capabilityId: redactText(ticket.capabilityId),
    approvalId: ticket.id,
    ...(ticket.key === null ? {} : { idempotencyKey: ticket.key.key }),
    sanitizedArgs: sanitize(ticket.sanitizedArgs),
    details: detailsOf(ticket, redactText),
  });
  await appended.catch((error: unknown) => {
    log('error', 'an audit event could not be written', { approval_id: ticket.id, event_type: eventType, error });
  });
  if (config.policy.webhook === null) return;
  notify(config.policy.webhook, {
    event,
    timestamp: Math.floor(epochMs / 1000),
    trace_id: ticket.correlation.traceId,
    approval: toNoticeTicket(ticket, policy.redactor),
  });
}

function detailsOf({ status }: Ticket, redactText: (text: string) => string): JsonObject {
  switch (status.status) {
    case 'approved':
      return { operator: redactText(status.operator), modified: status.modifiedArgs !== undefined };
    case 'rejected': {
      const reason = status.reason === undefined ? {} : { reason: redactText(status.reason) };
      return { operator: redactText(status.operator), ...reason };
    }
    default:
      return {};
  }
}
