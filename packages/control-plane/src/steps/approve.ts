// Step 6: holds a gated call until a person has decided. The approved call is run by its ticket, never from here.
import { type Correlation, type ErrorCode, errorEnvelope, nothingSent } from '@portico/contracts';
import type { KeyUse } from '@portico/idempotency';
import type { Approvals } from '../approvals/approvals.js';
import type { Ticket, TicketDraft } from '../approvals/ticket.js';
import { resultOf } from '../approvals/wire.js';
import { type Call, CallFailure, type Outcome } from '../call.js';
import { type Operation, OperationCancelled, ServiceStopping } from '../operations.js';
import type { PlaneState } from '../plane-state.js';
import { cancelled } from './invoke.js';
import type { Ended } from './record.js';
import type { Target } from './resolve.js';

/** @throws CallFailure OPERATION_CANCELLED, INVALID_ARGS, POLICY_DENIED */
export async function approve(
  approvals: Approvals,
  state: PlaneState,
  draft: TicketDraft,
  call: Call,
  operation: Operation,
): Promise<Ended> {
  operation.suspend();
  const { ticket, isNew } = await approvals.request(draft);
  if (ticket.key?.fingerprint !== draft.key?.fingerprint) {
    const message = `idempotency key ${JSON.stringify(draft.key?.key)} waits for the approval of another request; use a new key`;
    throw new CallFailure('INVALID_ARGS', message);
  }
  const decided = call.approvalWaitMs === 0 ? ticket : await waitFor(approvals, ticket, isNew, call, operation);
  return { outcome: toOutcome(decided, call, isNew, state), isAudited: isNew };
}

export function toDraft(
  { config, policy }: PlaneState,
  call: Call,
  target: Target,
  use: KeyUse | null,
  createdAtMs: number,
): TicketDraft {
  return {
    kind: call.kind,
    capabilityId: target.id,
    serverId: target.server,
    args: call.args,
    sanitizedArgs: policy.redactor.sanitize(call.args),
    correlation: call.correlation,
    principal: call.caller.principal,
    profile: call.caller.profile,
    key: use && { key: use.key, fingerprint: use.fingerprint },
    createdAtMs,
    expiresAtMs: createdAtMs + config.policy.approvalTimeoutSecs * 1000,
  };
}

/**
 * A cancel closes the ticket of the call that opened it; one that joined only stops to wait. A caller that goes away,
 * or a service that stops, leaves the ticket as it is.
 */
async function waitFor(
  approvals: Approvals,
  ticket: Ticket,
  isOwn: boolean,
  call: Call,
  { signal }: Operation,
): Promise<Ticket> {
  try {
    return (await approvals.wait(ticket.id, call.approvalWaitMs, [signal, call.signal])) ?? ticket;
  } catch (error) {
    if (error instanceof ServiceStopping || call.signal.aborted) return ticket;
    if (!(error instanceof OperationCancelled)) throw error;
    const rejection = { kind: 'reject', operator: call.caller.principal, reason: 'cancelled' } as const;
    if (isOwn) await approvals.decide(ticket.id, rejection);
    throw cancelled(signal);
  }
}

function toOutcome(ticket: Ticket, { correlation }: Call, isNew: boolean, { config }: PlaneState): Outcome {
  const { id, status } = ticket;
  const result = resultOf(ticket);
  if (result !== undefined) return { kind: isNew ? 'answered' : 'replayed', envelope: result };
  switch (status.status) {
    case 'rejected': {
      const why = status.reason === undefined ? '' : `: ${status.reason}`;
      return refused(correlation, 'APPROVAL_REJECTED', `${status.operator} rejected approval ${id}${why}`, id);
    }
    case 'expired': {
      const after = config.policy.approvalTimeoutSecs;
      const message = `nobody decided on approval ${id} within ${after} s (approvalTimeoutSecs); repeat the call to ask again`;
      return refused(correlation, 'APPROVAL_TIMEOUT', message, id);
    }
    case 'approved':
      return waiting(
        correlation,
        `approval ${id} was given and its call runs; GET /v1/approvals/${id} has its result`,
        id,
      );
    case 'pending':
      return waiting(correlation, `the call waits for approval ${id}; GET /v1/approvals/${id} has the decision`, id);
  }
}

function refused(correlation: Correlation, code: ErrorCode, message: string, approvalId: string): Outcome {
  return { kind: 'answered', envelope: errorEnvelope(correlation, nothingSent, { code, message, approvalId }) };
}

function waiting(correlation: Correlation, message: string, approvalId: string): Outcome {
  const envelope = errorEnvelope(correlation, nothingSent, { code: 'APPROVAL_PENDING', message, approvalId });
  return { kind: 'pending', envelope, approvalId };
}
