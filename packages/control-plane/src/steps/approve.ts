// Step 6: holds a gated call until a person has decided. The approved call is run by its ticket, never from here.
import {
  type Correlation,
  type ErrorCode,
  errorEnvelope,
  nothingSent,
  type RetryMetadata,
  successEnvelope,
} from '@portico/contracts';
import type { KeyUse } from '@portico/idempotency';
import type { TicketDecision } from '@portico/policy-engine';
import type { Approvals } from '../approvals/approvals.js';
import type { Ticket, TicketDraft } from '../approvals/ticket.js';
import { resultOf } from '../approvals/wire.js';
import { type Call, CallFailure, type Outcome } from '../call.js';
import { canElicit } from '../interaction/answerable.js';
import { approvalKey, approvalQuestion, decisionOf } from '../interaction/approval-question.js';
import type { CallClient } from '../interaction/client.js';
import { badState } from '../interaction/parked-calls.js';
import { answersIn } from '../interaction/questioning.js';
import { bindingOf, type RequestStates, type StateBinding } from '../interaction/request-state.js';
import { type Operation, OperationCancelled, ServiceStopping } from '../operations.js';
import type { PlaneState } from '../plane-state.js';
import { retryOf } from '../retry.js';
import { storeFailure } from './dedupe.js';
import { cancelled } from './invoke.js';
import type { Ended } from './record.js';
import type { Target } from './resolve.js';

export interface ApproveDeps {
  readonly approvals: Approvals;
  readonly states: RequestStates;
  /** The clients of tickets, for what their calls ask once they run. */
  readonly clients: Map<string, CallClient>;
}

/** @throws CallFailure OPERATION_CANCELLED, INVALID_ARGS, POLICY_DENIED, INTERNAL_ERROR */
export async function approve(
  on: ApproveDeps,
  target: Target,
  draft: TicketDraft,
  call: Call,
  operation: Operation,
): Promise<Ended> {
  const { approvals } = on;
  operation.suspend();
  if (operation.signal.aborted) throw cancelled(operation.signal);
  if (call.requestState !== undefined) return takeUpApproval(on, target, call.requestState, call, operation);
  const { ticket, isNew } = await approvals.request(draft).catch((error: unknown) => {
    throw error instanceof CallFailure ? error : storeFailure(error);
  });
  if (ticket.key !== null && ticket.key.fingerprint !== draft.key?.fingerprint) throw keyTaken(ticket.key.key);
  const own: OwnTicket = { ticket, isNew, whileRunning: retryOf(target, draft.key !== null, 'unknown') };
  if (call.client !== undefined && canElicit(call.client.capabilities, 'form') && ticket.status.status === 'pending') {
    return {
      outcome: await askClient(on, call.client, own, bindingOf(call, target), call, operation),
      isAudited: isNew,
    };
  }
  const decided = await waitFor(approvals, own, call, operation, call.approvalWaitMs);
  return { outcome: toOutcome({ ...own, ticket: decided }, call.correlation), isAudited: isNew };
}

/** Puts the decision to the user of the client that calls; it can be made elsewhere meanwhile. */
async function askClient(
  on: ApproveDeps,
  client: CallClient,
  own: OwnTicket,
  binding: StateBinding,
  call: Call,
  operation: Operation,
): Promise<Outcome> {
  const { ticket } = own;
  const question = approvalQuestion(ticket);
  if (client.ask === undefined) {
    const requestState = on.states.mint('approval', ticket.id, binding);
    const data = { resultType: 'input_required', inputRequests: { [approvalKey]: { ...question } }, requestState };
    return { kind: 'answered', envelope: successEnvelope(call.correlation, nothingSent, data) };
  }
  const over = new AbortController();
  const elsewhere = waitFor(on.approvals, own, call, operation, call.approvalWaitMs || longestWaitMs, over.signal);
  const answered = client.ask(question, over.signal).catch(() => undefined);
  try {
    const answer = await Promise.race([answered, elsewhere.then(() => undefined)]);
    const decision = decisionOf(answer, operatorOf(call));
    if (decision !== undefined) return await decideAndWait(on, own, decision, call, operation);
    const now = (await on.approvals.get(ticket.id)) ?? ticket;
    return toOutcome({ ...own, ticket: now }, call.correlation);
  } finally {
    over.abort();
    await elsewhere.catch(() => {});
  }
}

/** The client is back with its user's decision. @throws CallFailure INVALID_ARGS for a state that is not to be used */
async function takeUpApproval(
  on: ApproveDeps,
  target: Target,
  requestState: string,
  call: Call,
  operation: Operation,
): Promise<Ended> {
  const binding = bindingOf(call, target);
  const read = on.states.read(requestState, binding);
  const ticket = read.kind === 'ours' && read.subject === 'approval' ? await on.approvals.get(read.id) : undefined;
  if (ticket?.status.status !== 'pending') throw badState();
  const own: OwnTicket = { ticket, isNew: true, whileRunning: retryOf(target, ticket.key !== null, 'unknown') };
  const answer = answersIn(call.inputResponses)[approvalKey];
  const decision = decisionOf(answer, operatorOf(call));
  if (decision !== undefined)
    return { outcome: await decideAndWait(on, own, decision, call, operation), isAudited: true };
  if (answer !== undefined) return { outcome: toOutcome(own, call.correlation), isAudited: true };
  const question = { [approvalKey]: { ...approvalQuestion(ticket) } };
  const data = { resultType: 'input_required', inputRequests: question, requestState };
  return {
    outcome: { kind: 'answered', envelope: successEnvelope(call.correlation, nothingSent, data) },
    isAudited: true,
  };
}

async function decideAndWait(
  { approvals, clients }: ApproveDeps,
  own: OwnTicket,
  decision: TicketDecision,
  call: Call,
  operation: Operation,
): Promise<Outcome> {
  const { id } = own.ticket;
  if (call.client !== undefined) clients.set(id, call.client);
  try {
    const result = await approvals.decide(id, decision);
    if (result.kind === 'unknown') throw badState();
    const ended = await waitFor(approvals, { ...own, ticket: result.ticket }, call, operation, longestWaitMs);
    return toOutcome({ ...own, ticket: ended }, call.correlation);
  } finally {
    clients.delete(id);
  }
}

/** Whoever sits at the client has decided; the audit log says so. */
function operatorOf({ caller }: Call): string {
  return `${caller.principal} (at the client)`;
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

/** The ticket's own time is over long before. */
const longestWaitMs = 2_147_483_647;

interface OwnTicket {
  readonly ticket: Ticket;
  /** Whether this call opened it; otherwise it joined one under its key. */
  readonly isNew: boolean;
  /** What is to be said of a repeat once the ticket's call may have been sent. */
  readonly whileRunning: RetryMetadata;
}

/** A caller that goes away, or a service that stops, leaves the ticket as it is. */
async function waitFor(
  approvals: Approvals,
  own: OwnTicket,
  call: Call,
  { signal }: Operation,
  waitMs: number,
  over?: AbortSignal,
): Promise<Ticket> {
  const { ticket } = own;
  const signals = over === undefined ? [signal, call.signal] : [signal, call.signal, over];
  try {
    signal.throwIfAborted();
    if (waitMs === 0) return ticket;
    return (await approvals.wait(ticket.id, waitMs, signals)) ?? ticket;
  } catch (error) {
    if (error instanceof OperationCancelled) throw await cancelTicket(approvals, own, call, signal);
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
