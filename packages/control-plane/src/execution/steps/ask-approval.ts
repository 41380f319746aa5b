// Puts the decision on a gated call to the user of the client that calls: at once where the client listens, else by an
// interim answer that it comes back to. The ticket is there for operators meanwhile.
import { nothingSent, successEnvelope } from '@portico/contracts';
import type { TicketDecision } from '@portico/policy-engine';
import { approvalKey, approvalQuestion, decisionOf } from '../../approvals/approval-question.js';
import type { Approvals } from '../../approvals/approvals.js';
import type { Call, Outcome } from '../../call/call.js';
import type { CallClient } from '../../call/client.js';
import { retryOf } from '../../call/failures.js';
import type { Operation } from '../../call/operations.js';
import type { Target } from '../../call/target.js';
import { badState } from '../../interaction/parked-calls.js';
import { answersIn } from '../../interaction/questioning.js';
import { bindingOf, type RequestStates, type StateBinding } from '../../interaction/request-state.js';
import type { TicketClients } from '../../interaction/ticket-clients.js';
import { type Ended, longestWaitMs, type OwnTicket, toOutcome, waitFor } from './own-ticket.js';

export interface ApproveDeps {
  readonly approvals: Approvals;
  readonly states: RequestStates;
  readonly clients: TicketClients;
}

/** Puts the decision to the user of the client that calls; it can be made elsewhere meanwhile. */
export async function askClient(
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
  const release = on.clients.add(ticket.id, client);
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
    release();
    await elsewhere.catch(() => {});
  }
}

/** The client is back with its user's decision. @throws CallFailure INVALID_ARGS for a state that is not to be used */
export async function resumeApproval(
  on: ApproveDeps,
  target: Target,
  requestState: string,
  call: Call,
  operation: Operation,
): Promise<Ended> {
  const binding = bindingOf(call, target);
  const read = on.states.read(requestState, binding);
  const ticket = read.kind === 'ours' && read.subject === 'approval' ? await on.approvals.get(read.id) : undefined;
  if (ticket === undefined) throw badState();
  const { status } = ticket;
  if ('operator' in status && status.operator === operatorOf(call)) throw badState(); // by this very state
  const own: OwnTicket = { ticket, isNew: true, whileRunning: retryOf(target, ticket.key !== null, 'unknown') };
  if (status.status !== 'pending') {
    // Somebody else was faster.
    const ended = await waitFor(on.approvals, own, call, operation, longestWaitMs);
    return { outcome: toOutcome({ ...own, ticket: ended }, call.correlation), isAudited: true };
  }
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
  const release = call.client === undefined ? () => {} : clients.add(id, call.client);
  try {
    const result = await approvals.decide(id, decision);
    if (result.kind === 'unknown') throw badState();
    const ended = await waitFor(approvals, { ...own, ticket: result.ticket }, call, operation, longestWaitMs);
    return toOutcome({ ...own, ticket: ended }, call.correlation);
  } finally {
    release();
  }
}

/** Whoever sits at the client has decided; the audit log says so. */
function operatorOf({ caller }: Call): string {
  return `${caller.principal} (at the client)`;
}
