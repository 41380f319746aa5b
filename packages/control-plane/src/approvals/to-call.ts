// The call of a ticket.
import type { JsonObject } from '@portico/contracts';
import { actorKindOf } from '@portico/policy-engine';
import type { Call } from '../call/call.js';
import type { Ticket } from './ticket.js';

/** The call as it was made, by a caller that has gone for good. */
export function toCall(ticket: Ticket, args: JsonObject): Call {
  const { kind, capabilityId, correlation, principal, profile, role, actor, key } = ticket;
  return {
    kind,
    id: capabilityId,
    args,
    givenArgs: ticket.args,
    correlation,
    caller: { principal, profile, role, actor, actorKind: actorKindOf(principal) },
    signal: new AbortController().signal,
    idempotencyKey: key?.key ?? null,
    approvalWaitMs: 0,
  };
}
