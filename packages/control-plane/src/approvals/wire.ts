// A ticket as it is shown and sent: the wire's names, whole seconds, and no arguments where only others may see them.
import {
  type ApprovalNotice,
  type ApprovalStatus,
  type ApprovalTicket,
  type Envelope,
  gatherExact,
  readEnvelope,
} from '@portico/contracts';
import type { Redactor, TicketStatus } from '@portico/policy-engine';
import { shownSource } from '../call/call-source.js';
import type { Ticket } from './ticket.js';
import { toApprovalView } from './ticket-view.js';

/** The ticket as an operator sees it. Redaction rules may have been added since it was opened. */
export function toApprovalTicket(ticket: Ticket, redactor: Redactor): ApprovalTicket {
  const result = resultOf(ticket);
  return { ...toListedTicket(ticket, redactor), ...(result === undefined ? {} : { result }) };
}

/** A list stays compact: results are shown one by one. */
export function toListedTicket(ticket: Ticket, redactor: Redactor): ApprovalTicket {
  return gatherExact({ ...common(ticket, redactor), args: ticket.args });
}

/** The ticket as a webhook receives it. */
export function toNoticeTicket(ticket: Ticket, redactor: Redactor): ApprovalNotice['approval'] {
  const { modified_args, operator, reason, ...status } = toApprovalStatus(ticket.status);
  const redactedStatus = {
    ...status,
    ...(operator === undefined ? {} : { operator: redactor.redactText(operator) }),
    ...(reason === undefined ? {} : { reason: redactor.redactText(reason) }),
    ...(modified_args === undefined ? {} : { modified_args: redactor.sanitize(modified_args) }),
  };
  const shown = common(ticket, redactor);
  return { ...shown, capability_id: redactor.redactText(shown.capability_id), status: redactedStatus };
}

function common(ticket: Ticket, redactor: Redactor): ApprovalNotice['approval'] {
  return gatherExact({
    id: ticket.id,
    kind: ticket.kind,
    capability_id: ticket.capabilityId,
    server_id: ticket.serverId,
    sanitized_args: redactor.sanitize(ticket.sanitizedArgs),
    status: toApprovalStatus(ticket.status),
    created_at: Math.floor(ticket.createdAtMs / 1000),
    expires_at: Math.floor(ticket.expiresAtMs / 1000),
    request_id: ticket.correlation.requestId,
    ...shownSource(ticket.source, redactor),
    ...(ticket.rule === null ? {} : { rule: ticket.rule }),
    view: toApprovalView(ticket, redactor),
  });
}

/** The envelope of a ticket's call, once it is there. */
function resultOf({ run }: Ticket): Envelope | undefined {
  return run.state === 'finished' ? readEnvelope(run.result).envelope : undefined;
}

function toApprovalStatus(status: TicketStatus): ApprovalStatus {
  if (status.status === 'pending' || status.status === 'expired') return { ...status };
  const { decidedBy, ...rest } = status;
  const decider = decidedBy === undefined ? {} : { decided_by: decidedBy };
  if (rest.status === 'rejected') return { ...rest, ...decider };
  const { modifiedArgs, ...approved } = rest;
  return gatherExact({
    ...approved,
    ...decider,
    ...(modifiedArgs === undefined ? {} : { modified_args: modifiedArgs }),
  });
}
