// The records of calls that the end of the service interrupted: begun by an earlier run, with an unknown end.
import type { AuditDraft } from '@portico/audit-chain';
import { splitId } from '@portico/catalog-core';
import type { Interrupted } from '@portico/idempotency';
import { eventTypes, originFields, shownId, timestampOf } from '../audit/drafts.js';
import type { PlaneState } from '../state/plane-state.js';
import { approvedArgs, type Ticket } from './ticket.js';
import { askedUnder, callerOf } from './to-call.js';

const cutOff = {
  status: 'failed',
  error_code: 'INTERNAL_ERROR',
  details: { interrupted: true },
} as const satisfies Partial<AuditDraft>;

/** For a call with a key; the ledger kept its intent. */
export function interruptedDraft(state: PlaneState, call: Interrupted, epochMs: number): AuditDraft {
  const server = splitId(call.capabilityId)?.server;
  return {
    ...cutOff,
    timestamp: timestampOf(epochMs),
    event_type: eventTypes[call.kind],
    trace_id: call.firstTraceId,
    ...(server === undefined ? {} : { server_id: server }),
    capability_id: shownId(state.policy.redactor, call.kind, call.capabilityId),
    idempotency_key: state.policy.redactor.redactText(call.key),
  };
}

/** For the call of an approved ticket without a key. */
export function interruptedTicketDraft(state: PlaneState, ticket: Ticket, epochMs: number): AuditDraft {
  const redactor = state.policy.redactorOf(ticket.role);
  return {
    ...cutOff,
    timestamp: timestampOf(epochMs),
    event_type: eventTypes[ticket.kind],
    ...originFields(redactor, ticket.correlation, callerOf(ticket)),
    ...askedUnder(ticket),
    server_id: ticket.serverId,
    capability_id: shownId(redactor, ticket.kind, ticket.capabilityId),
    approval_id: ticket.id,
    sanitized_args: redactor.sanitize(approvedArgs(ticket)),
  };
}
