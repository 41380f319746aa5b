// The ticket of one call while it is pending: waits for the decision, and answers the caller.
import type { AbortSignalLike } from '@portico/async';
import {
  type Correlation,
  type ErrorCode,
  errorEnvelope,
  nothingSent,
  type RetryMetadata,
  readEnvelope,
} from '@portico/contracts';
import type { Approvals } from '../../approvals/approvals.js';
import type { Ticket } from '../../approvals/ticket.js';
import type { Call, CallFailure, Outcome } from '../../call/call.js';
import { cancelled } from '../../call/failures.js';
import { type Operation, OperationCancelled, ServiceStopping } from '../../call/operations.js';

/** The ticket's own time is over long before. */
export const longestWaitMs = 2_147_483_647;

export interface OwnTicket {
  readonly ticket: Ticket;
  /** Whether this call opened it; otherwise it joined one under its key. */
  readonly isNew: boolean;
  /** The retry metadata of a repeat once the ticket's call may have been sent. */
  readonly whileRunning: RetryMetadata;
}

/** How a gated call ends, and whether it has its record: a decision leaves one. */
export interface Ended {
  readonly outcome: Outcome;
  readonly isAudited: boolean;
}

/** A caller that goes away, or a service that stops, leaves the ticket as it is. */
export async function waitFor(
  approvals: Approvals,
  own: OwnTicket,
  call: Call,
  { signal }: Operation,
  waitMs: number,
  over?: AbortSignalLike,
): Promise<Ticket> {
  const { ticket } = own;
  const signals = over === undefined ? [signal, call.signal] : [signal, call.signal, over];
  try {
    signal.throwIfAborted();
    if (waitMs === 0) return ticket;
    const wait = ticket.status.status === 'approved' ? approvals.waitForRun : approvals.wait;
    return (await wait(ticket.id, waitMs, signals)) ?? ticket;
  } catch (error) {
    // An MCP client that goes away has cancelled its call; a caller over HTTP may come back to its ticket.
    const isCancelled = error instanceof OperationCancelled || (call.client !== undefined && call.signal.aborted);
    if (isCancelled && over?.aborted !== true) throw await cancelTicket(approvals, own, call, signal);
    if (error instanceof ServiceStopping || call.signal.aborted || over?.aborted)
      return (await approvals.get(ticket.id)) ?? ticket;
    throw error;
  }
}

/** A cancel closes the ticket of the call that opened it; one that joined only stops to wait. */
async function cancelTicket(
  approvals: Approvals,
  { ticket, isNew, whileRunning }: OwnTicket,
  { caller }: Call,
  signal: AbortSignalLike,
): Promise<CallFailure> {
  const rejection = { kind: 'reject', operator: caller.principal, reason: 'cancelled' } as const;
  if (isNew) await approvals.decide(ticket.id, rejection);
  const now = await approvals.get(ticket.id);
  return cancelled(signal, now?.status.status === 'approved' ? whileRunning : nothingSent);
}

export function toOutcome(
  { ticket, isNew, whileRunning }: OwnTicket,
  { correlation, client }: Call,
  { linkOf }: Pick<Approvals, 'linkOf'>,
): Outcome {
  const { id, status } = ticket;
  const isOverMcp = client !== undefined && client.isOverHttp !== true;
  const where = isOverMcp ? `the tool approval_status` : `GET /v1/approvals/${id}`;
  const hint = isOverMcp
    ? `call approval_status with approval_id "${id}"; a person decides, so wait between two calls of it`
    : undefined;
  if (ticket.run.state === 'finished') {
    const { envelope, dataText } = readEnvelope(ticket.run.result);
    return { kind: isNew ? 'answered' : 'replayed', envelope, dataText };
  }
  switch (status.status) {
    case 'rejected': {
      const why = status.reason === undefined ? '' : `: ${status.reason}`;
      return refused(correlation, 'APPROVAL_REJECTED', `${status.operator} rejected approval ${id}${why}`, id);
    }
    case 'expired': {
      const afterSecs = (ticket.expiresAtMs - ticket.createdAtMs) / 1000;
      const message = `no operator decided on approval ${id} within ${afterSecs} s (approvalTimeoutSecs); repeat the call to ask again`;
      return refused(correlation, 'APPROVAL_TIMEOUT', message, id);
    }
    case 'approved':
      return waiting(
        correlation,
        { message: `approval ${id} was given and its call runs; ${where} has its result`, hint },
        id,
        whileRunning,
      );
    case 'pending':
      return waiting(
        correlation,
        { message: `the call waits for approval ${id}; ${where} has the decision`, hint: withLink(hint, linkOf(id)) },
        id,
        nothingSent,
      );
  }
}

/** The link opens the ticket in the console, where the person signs in who decides. */
function withLink(hint: string | undefined, link: string | undefined): string | undefined {
  if (link === undefined) return hint;
  const sentence = `a person decides at ${link}`;
  return hint === undefined ? sentence : `${hint}; ${sentence}`;
}

function refused(correlation: Correlation, code: ErrorCode, message: string, approvalId: string): Outcome {
  return { kind: 'answered', envelope: errorEnvelope(correlation, nothingSent, { code, message, approvalId }) };
}

function waiting(
  correlation: Correlation,
  text: { readonly message: string; readonly hint: string | undefined },
  approvalId: string,
  retry: RetryMetadata,
): Outcome {
  const envelope = errorEnvelope(correlation, retry, { code: 'APPROVAL_PENDING', ...text, approvalId });
  return { kind: 'pending', envelope, approvalId };
}
