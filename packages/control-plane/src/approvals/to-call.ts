// The call of a ticket.
import type { AuditDraft } from '@portico/audit-chain';
import type { JsonObject } from '@portico/contracts';
import { actorKindOf } from '@portico/policy-engine';
import type { Call, Caller } from '../call/call.js';
import { CallSource } from '../call/call-source.js';
import type { Ticket } from './ticket.js';

/** The call as it was made, by a caller that has gone for good. */
export function toCall(ticket: Ticket, args: JsonObject): Call {
  const { kind, capabilityId, correlation, key } = ticket;
  return {
    kind,
    id: capabilityId,
    args,
    givenArgs: ticket.args,
    correlation,
    caller: callerOf(ticket),
    signal: new AbortController().signal,
    idempotencyKey: key?.key ?? null,
    approvalWaitMs: 0,
  };
}

/** Who made it. */
export function callerOf({ principal, profile, role, actor, source }: Ticket): Caller {
  const known = source === null ? undefined : new CallSource(source);
  return { principal, profile, role, actor, actorKind: actorKindOf(principal), source: known };
}

/** Through which view, and by which rule it waits: as records have it. */
export function askedUnder({ profile, rule }: Ticket): Pick<AuditDraft, 'profile' | 'rule'> {
  return { profile: profile ?? undefined, rule: rule ?? undefined };
}
