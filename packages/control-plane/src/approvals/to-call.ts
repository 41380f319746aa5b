// The call of a ticket.
import type { AuditDraft } from '@portico/audit-chain';
import type { JsonObject } from '@portico/contracts';
import { actorKindOf } from '@portico/policy-engine';
import type { Call, Caller } from '../call/call.js';
import { CallSource } from '../call/call-source.js';
import type { Ticket } from './ticket.js';

/** The original call, for a caller that is no longer connected. */
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

/** The caller that made it. */
export function callerOf({ principal, profile, role, actor, source }: Ticket): Caller {
  const known = source === null ? undefined : new CallSource(source);
  return { principal, profile, role, actor, actorKind: actorKindOf(principal), source: known };
}

/** The profile of the caller, and the rule that holds the call, for audit records. */
export function askedUnder({ profile, rule }: Ticket): Pick<AuditDraft, 'profile' | 'rule'> {
  return { profile: profile ?? undefined, rule: rule ?? undefined };
}
