// Step 6: holds a gated call until a person has decided. The approved call is run by its ticket, never from here.
import { type Correlation, type ErrorCode, errorEnvelope, nothingSent, type RetryMetadata } from '@portico/contracts';
import type { KeyUse } from '@portico/idempotency';
import type { Approvals } from '../approvals/approvals.js';
import type { Ticket, TicketDraft } from '../approvals/ticket.js';
import { resultOf } from '../approvals/wire.js';
import { type Call, CallFailure, type Outcome } from '../call.js';
import { type Operation, OperationCancelled, ServiceStopping } from '../operations.js';
import type { PlaneState } from '../plane-state.js';
import { retryOf } from '../retry.js';
import { storeFailure } from './dedupe.js';
import { cancelled } from './invoke.js';
import type { Ended } from './record.js';
import type { Target } from './resolve.js';

/** @throws CallFailure OPERATION_CANCELLED, INVALID_ARGS, POLICY_DENIED, INTERNAL_ERROR */
export async function approve(
  approvals: Approvals,
  target: Target,
  draft: TicketDraft,
  call: Call,
  operation: Operation,
): Promise<Ended> {
  operation.suspend();
  if (operation.signal.aborted) throw cancelled(operation.signal);
  const { ticket, isNew } = await approvals.request(draft).catch((error: unknown) => {
    throw error instanceof CallFailure ? error : storeFailure(error);
  });
  if (ticket.key !== null && ticket.key.fingerprint !== draft.key?.fingerprint) throw keyTaken(ticket.key.key);
  const own: OwnTicket = { ticket, isNew, whileRunning: retryOf(target, draft.key !== null, 'unknown') };
  const decided = await waitFor(approvals, own, call, operation);
  return { outcome: toOutcome({ ...own, ticket: decided }, call.correlation), isAudited: isNew };
}

/** The failure of a call whose key belongs to the ticket of another one. */
export function keyTaken(key: string): CallFailure {
  const message = `idempotency key ${JSON.stringify(key)} belongs to the approval of another request; use a new key`;
  return new CallFailure('INVALID_ARGS', message);
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

interface OwnTicket {
  readonly ticket: Ticket;
  /** Whether this call opened it; otherwise it joined one under its key. */
  readonly isNew: boolean;
  /** What is to be said of a repeat once the ticket's call may have been sent. */
  readonly whileRunning: RetryMetadata;
}

/** A caller that goes away, or a service that stops, leaves the ticket as it is. */
async function waitFor(approvals: Approvals, own: OwnTicket, call: Call, { signal }: Operation): Promise<Ticket> {
  const { ticket } = own;
  try {
    signal.throwIfAborted();
    if (call.approvalWaitMs === 0) return ticket;
    return (await approvals.wait(ticket.id, call.approvalWaitMs, [signal, call.signal])) ?? ticket;
  } catch (error) {
    if (error instanceof OperationCancelled) throw await cancelTicket(approvals, own, call, signal);
    if (error instanceof ServiceStopping || call.signal.aborted) return (await approvals.get(ticket.id)) ?? ticket;
    throw error;
  }
}

/** A cancel closes the ticket of the call that opened it; one that joined only stops to wait. */
async function cancelTicket(
  approvals: Approvals,
  { ticket, isNew, whileRunning }: OwnTicket,
  { caller }: Call,
  signal: AbortSignal,
): Promise<CallFailure> {
  const rejection = { kind: 'reject', operator: caller.principal, reason: 'cancelled' } as const;
  if (isNew) await approvals.decide(ticket.id, rejection);
  const now = await approvals.get(ticket.id);
  return cancelled(signal, now?.status.status === 'approved' ? whileRunning : nothingSent);
}

function toOutcome({ ticket, isNew, whileRunning }: OwnTicket, correlation: Correlation): Outcome {
  const { id, status } = ticket;
  const result = resultOf(ticket);
  if (result !== undefined) return { kind: isNew ? 'answered' : 'replayed', envelope: result };
  switch (status.status) {
    case 'rejected': {
      const why = status.reason === undefined ? '' : `: ${status.reason}`;
      return refused(correlation, 'APPROVAL_REJECTED', `${status.operator} rejected approval ${id}${why}`, id);
    }
    case 'expired': {
      const afterSecs = (ticket.expiresAtMs - ticket.createdAtMs) / 1000;
      const message = `nobody decided on approval ${id} within ${afterSecs} s (approvalTimeoutSecs); repeat the call to ask again`;
      return refused(correlation, 'APPROVAL_TIMEOUT', message, id);
    }
    case 'approved':
      return waiting(
        correlation,
        `approval ${id} was given and its call runs; GET /v1/approvals/${id} has its result`,
        id,
        whileRunning,
      );
    case 'pending':
      return waiting(
        correlation,
        `the call waits for approval ${id}; GET /v1/approvals/${id} has the decision`,
        id,
        nothingSent,
      );
  }
}

function refused(correlation: Correlation, code: ErrorCode, message: string, approvalId: string): Outcome {
  return { kind: 'answered', envelope: errorEnvelope(correlation, nothingSent, { code, message, approvalId }) };
}

function waiting(correlation: Correlation, message: string, approvalId: string, retry: RetryMetadata): Outcome {
  const envelope = errorEnvelope(correlation, retry, { code: 'APPROVAL_PENDING', message, approvalId });
  return { kind: 'pending', envelope, approvalId };
}
