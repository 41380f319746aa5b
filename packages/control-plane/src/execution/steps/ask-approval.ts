// Asks the user of the calling client for the decision on a gated call: at once if the client listens, else by an
// interim answer that it resumes. Operators can decide the ticket at the same time.
import { nothingSent, successEnvelope } from '@portico/contracts';
import {
  type ApprovalQuestion,
  approvalKey,
  approvalQuestion,
  decisionOf,
  type UserDecision,
} from '../../approvals/approval-question.js';
import type { Approvals } from '../../approvals/approvals.js';
import { grantChoices } from '../../approvals/grant-choices.js';
import type { Grants } from '../../approvals/grants.js';
import type { Ticket } from '../../approvals/ticket.js';
import type { Call, Outcome } from '../../call/call.js';
import type { CallClient } from '../../call/client.js';
import type { Operation } from '../../call/operations.js';
import type { Target } from '../../call/target.js';
import type { Log } from '../../common/log.js';
import { badState } from '../../interaction/parked-calls.js';
import { answersIn } from '../../interaction/questioning.js';
import { bindingOf, type RequestStates, type StateBinding } from '../../interaction/request-state.js';
import type { TicketClients } from '../../interaction/ticket-clients.js';
import type { PlaneState } from '../../state/plane-state.js';
import { retryOf } from '../../state/target.js';
import { type Ended, longestWaitMs, type OwnTicket, toOutcome, waitFor } from './own-ticket.js';

export interface ApproveDeps {
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly log: Log;
  readonly states: RequestStates;
  readonly clients: TicketClients;
  readonly state: () => PlaneState;
}

/** Asks the user of the calling client, and asks again if the definition has changed in between. */
export async function askClient(
  on: ApproveDeps,
  client: CallClient,
  own: OwnTicket,
  binding: StateBinding,
  call: Call,
  operation: Operation,
): Promise<Outcome> {
  const { ask } = client;
  if (ask === undefined) {
    return questionOutcome(on, own.ticket, binding, call);
  }
  for (let asked = own; ; ) {
    const ended = await askOnce(on, { ...client, ask }, asked, call, operation);
    if (ended.kind === 'over') return ended.outcome;
    asked = { ...own, ticket: ended.ticket };
  }
}

type Asked =
  | { readonly kind: 'over'; readonly outcome: Outcome }
  /** The definition has changed since the question was asked. */
  | { readonly kind: 'changed'; readonly ticket: Ticket };

/** One question; the decision can be made elsewhere before it is answered. */
async function askOnce(
  on: ApproveDeps,
  client: CallClient & { readonly ask: NonNullable<CallClient['ask']> },
  own: OwnTicket,
  call: Call,
  operation: Operation,
): Promise<Asked> {
  const { ticket } = own;
  const question = questionFor(on, ticket);
  const over = new AbortController();
  const release = on.clients.add(ticket.id, client);
  const elsewhere = waitFor(on.approvals, own, call, operation, call.approvalWaitMs || longestWaitMs, over.signal);
  const answered = client.ask(question.request, over.signal).catch(() => undefined);
  try {
    const answer = await Promise.race([answered, elsewhere.then(() => undefined)]);
    const decided = decisionOf(answer, operatorOf(call), question);
    if (decided !== undefined) return await decideAndWait(on, own, { question, ...decided }, call, operation);
    const now = (await on.approvals.get(ticket.id)) ?? ticket;
    return { kind: 'over', outcome: toOutcome({ ...own, ticket: now }, call, on.approvals) };
  } finally {
    over.abort();
    release();
    await elsewhere.catch(() => {});
  }
}

/** The client returns its user's decision. @throws CallFailure INVALID_ARGS for an invalid state */
export async function resumeApproval(
  on: ApproveDeps,
  target: Target,
  requestState: string,
  call: Call,
  operation: Operation,
): Promise<Ended> {
  const binding = bindingOf(call, target);
  const read = on.states.read(requestState, binding);
  if (read.kind !== 'ours' || read.subject !== 'approval') throw badState();
  const asked = readState(read.id);
  const ticket = await on.approvals.get(asked.id);
  if (ticket === undefined) throw badState();
  const { status } = ticket;
  if ('operator' in status && status.operator === operatorOf(call)) throw badState(); // with the same state
  const own: OwnTicket = { ticket, isNew: true, whileRunning: retryOf(target, ticket.key !== null, 'unknown') };
  if (status.status !== 'pending') {
    // Another approver was faster.
    const ended = await waitFor(on.approvals, own, call, operation, longestWaitMs);
    return { outcome: toOutcome({ ...own, ticket: ended }, call, on.approvals), isAudited: true };
  }
  const answer = answersIn(call.inputResponses)[approvalKey];
  const question = { ...questionFor(on, ticket), definition: asked.definition };
  const decided = decisionOf(answer, operatorOf(call), question);
  if (decided !== undefined) {
    const ended = await decideAndWait(on, own, { question, ...decided }, call, operation);
    if (ended.kind === 'over') return { outcome: ended.outcome, isAudited: true };
    return { outcome: questionOutcome(on, ended.ticket, binding, call), isAudited: true };
  }
  if (answer !== undefined) return { outcome: toOutcome(own, call, on.approvals), isAudited: true };
  return { outcome: questionOutcome(on, ticket, binding, call), isAudited: true };
}

/** An interim answer. Its state says which definition the question is about. */
function questionOutcome(on: ApproveDeps, ticket: Ticket, binding: StateBinding, { correlation }: Call): Outcome {
  const { request, definition } = questionFor(on, ticket);
  const requestState = on.states.mint('approval', `${ticket.id}${definitionMark}${definition ?? ''}`, binding);
  const data = { resultType: 'input_required', inputRequests: { [approvalKey]: { ...request } }, requestState };
  return { kind: 'answered', envelope: successEnvelope(correlation, nothingSent, data) };
}

/** Separates the id of a ticket from the digest; neither can contain it. */
const definitionMark = '~';

interface AskedState {
  readonly id: string;
  readonly definition: string | null;
}

function readState(id: string): AskedState {
  const [ticketId = '', definition = ''] = id.split(definitionMark);
  return { id: ticketId, definition: definition === '' ? null : definition };
}

/** With the ways to keep an approval, where a grant may be made. */
function questionFor({ state, grants }: ApproveDeps, ticket: Ticket): ApprovalQuestion {
  const { policy } = state();
  const redactor = policy.redactorOf(ticket.role);
  const scope = policy.grants && grants.scope(ticket);
  const choices = policy.grants && scope && grantChoices(scope, policy.grants, redactor);
  return approvalQuestion(ticket, redactor, choices);
}

async function decideAndWait(
  on: ApproveDeps,
  own: OwnTicket,
  { question, decision, grant }: UserDecision & { readonly question: ApprovalQuestion },
  call: Call,
  operation: Operation,
): Promise<Asked> {
  const { approvals, clients, grants, log } = on;
  const { id, args } = own.ticket;
  const planned = grant && (await grants.plan(own.ticket, args, grant));
  const release = call.client === undefined ? () => {} : clients.add(id, call.client);
  try {
    const result = await approvals.decide(id, decision, question.definition);
    if (result.kind === 'unknown') throw badState();
    if (result.kind === 'definition_changed') return { kind: 'changed', ticket: result.ticket };
    if (result.kind === 'decided' && planned !== undefined) {
      const by = { identity: call.caller, correlation: call.correlation };
      await grants.issue(result.ticket, planned, by).catch((error: unknown) => {
        log('error', 'an approval could not be kept as a grant; its call runs once', { approval_id: id, error });
      });
    }
    const ended = await waitFor(approvals, { ...own, ticket: result.ticket }, call, operation, longestWaitMs);
    if (result.kind === 'decided' && ended.status.status === 'pending') return { kind: 'changed', ticket: ended };
    return { kind: 'over', outcome: toOutcome({ ...own, ticket: ended }, call, approvals) };
  } finally {
    release();
  }
}

/** The user at the client has decided; the audit log records that. */
function operatorOf({ caller }: Call): string {
  return `${caller.principal} (at the client)`;
}
