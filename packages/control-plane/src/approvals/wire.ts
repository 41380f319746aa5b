// A ticket as it is shown and sent: the wire's names, whole seconds, and no arguments where only others may see them.
import type { ApprovalNotice, ApprovalStatus, ApprovalTicket, Envelope, JsonObject } from '@portico/contracts';
import type { TicketStatus } from '@portico/policy-engine';
import type { Ticket } from './ticket.js';

export function toApprovalTicket(ticket: Ticket): ApprovalTicket {
  const result = resultOf(ticket);
  return { ...toListedTicket(ticket), ...(result === undefined ? {} : { result }) };
}

/** A list stays compact: results are shown one by one. */
export function toListedTicket(ticket: Ticket): ApprovalTicket {
  return { ...common(ticket), args: ticket.args };
}

/** What a webhook may know of a ticket. @param sanitize drops the keys that are redacted */
export function toNoticeTicket(ticket: Ticket, sanitize: (args: JsonObject) => JsonObject): ApprovalNotice['approval'] {
  const { modified_args, ...status } = toApprovalStatus(ticket.status);
  const sanitized = modified_args === undefined ? {} : { modified_args: sanitize(modified_args) };
  return { ...common(ticket), status: { ...status, ...sanitized } };
}

function common(ticket: Ticket): ApprovalNotice['approval'] {
  return {
    id: ticket.id,
    kind: ticket.kind,
    capability_id: ticket.capabilityId,
    server_id: ticket.serverId,
    sanitized_args: ticket.sanitizedArgs,
    status: toApprovalStatus(ticket.status),
    created_at: Math.floor(ticket.createdAtMs / 1000),
    expires_at: Math.floor(ticket.expiresAtMs / 1000),
    request_id: ticket.correlation.requestId,
  };
}

/** The envelope of a ticket's call, once it is there. */
export function resultOf({ run }: Ticket): Envelope | undefined {
  return run.state === 'finished' ? (JSON.parse(run.result) as Envelope) : undefined; // we wrote it from one
}

function toApprovalStatus(status: TicketStatus): ApprovalStatus {
  if (status.status !== 'approved') return { ...status };
  const { modifiedArgs, ...rest } = status;
  return { ...rest, ...(modifiedArgs === undefined ? {} : { modified_args: modifiedArgs }) };
}
