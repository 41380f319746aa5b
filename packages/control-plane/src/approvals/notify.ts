// Reports each event of a ticket: one audit record, and a notice to the webhook and to each receiver that takes it.
import type { AuditDraft, AuditEventType, AuditStatus } from '@portico/audit-chain';
import type { ApprovalNotice, JsonObject } from '@portico/contracts';
import type { Redactor } from '@portico/policy-engine';
import type { Clock } from '@portico/upstream-pool';
import type { AuditLog } from '../audit/audit-log.js';
import { originFields, shownId, timestampOf } from '../audit/drafts.js';
import type { Log } from '../common/log.js';
import type { PlaneState } from '../state/plane-state.js';
import { type NoticeTarget, noticeTargets } from './notice-targets.js';
import type { Ticket } from './ticket.js';
import { askedUnder, callerOf } from './to-call.js';
import { toNoticeTicket } from './wire.js';

/** Sends a notice of a ticket. Never throws and never waits. */
export type NotifyApproval = (target: NoticeTarget, notice: ApprovalNotice) => void;

export interface NotifyDeps {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  readonly notify: NotifyApproval;
  /** Where people see a ticket; undefined if no console is served. */
  readonly linkOf: (id: string) => string | undefined;
  readonly state: () => PlaneState;
}

export interface TicketEvent {
  readonly eventType: AuditEventType;
  readonly status: AuditStatus;
  readonly event: ApprovalNotice['event'];
}

export const ticketEvents = {
  created: { eventType: 'approval_created', status: 'intercepted', event: 'approval.created' },
  /** The definition changed: the ticket waits for a decision on the new one. */
  reasked: { eventType: 'approval_created', status: 'intercepted', event: 'approval.created' },
  approved: { eventType: 'approval_approved', status: 'success', event: 'approval.approved' },
  rejected: { eventType: 'approval_rejected', status: 'denied', event: 'approval.rejected' },
  expired: { eventType: 'approval_expired', status: 'failed', event: 'approval.expired' },
} as const satisfies Readonly<Record<string, TicketEvent>>;

/** Leaves the record of what happened to a ticket, and notifies the webhook and the receivers. @throws AuditUnavailable; the notices are sent then too */
export async function notifyEvent(
  { audit, clock, notify, linkOf, state }: NotifyDeps,
  ticket: Ticket,
  { eventType, status, event }: TicketEvent,
): Promise<void> {
  const { config, policy } = state();
  const redactor = policy.redactorOf(ticket.role);
  const epochMs = clock.epochMs();
  try {
    await audit.append({ ...toDraft(ticket, epochMs, redactor), event_type: eventType, status });
  } finally {
    const targets = noticeTargets(config, event, ticket.capabilityId);
    if (targets.length > 0) {
      const link = linkOf(ticket.id);
      const notice: ApprovalNotice = {
        event,
        timestamp: Math.floor(epochMs / 1000),
        trace_id: ticket.correlation.traceId,
        approval: toNoticeTicket(ticket, redactor),
        ...(link === undefined ? {} : { link }),
      };
      for (const target of targets) notify(target, notice);
    }
  }
}

function toDraft(ticket: Ticket, epochMs: number, redactor: Redactor) {
  const { sanitize, redactText } = redactor;
  return {
    timestamp: timestampOf(epochMs),
    ...originFields(redactor, ticket.correlation, callerOf(ticket)),
    ...askedUnder(ticket),
    server_id: ticket.serverId,
    capability_id: shownId(redactor, ticket.kind, ticket.capabilityId),
    approval_id: ticket.id,
    ...(ticket.key === null ? {} : { idempotency_key: redactText(ticket.key.key) }),
    sanitized_args: sanitize(ticket.sanitizedArgs),
    ...detailsOf(ticket, redactText),
  } satisfies Partial<AuditDraft>;
}

function detailsOf(
  { status, definition }: Ticket,
  redactText: (text: string) => string,
): { readonly details?: JsonObject } {
  switch (status.status) {
    case 'approved':
      return { details: { ...deciderOf(status, redactText), modified: status.modifiedArgs !== undefined } };
    case 'rejected': {
      const reason = status.reason === undefined ? {} : { reason: redactText(status.reason) };
      return { details: { ...deciderOf(status, redactText), ...reason } };
    }
    default:
      return definition?.before === undefined ? {} : { details: { reason: 'definition_changed' } };
  }
}

function deciderOf(
  { operator, decidedBy }: { readonly operator: string; readonly decidedBy?: string },
  redactText: (text: string) => string,
): JsonObject {
  return { operator: redactText(operator), ...(decidedBy === undefined ? {} : { decided_by: redactText(decidedBy) }) };
}
