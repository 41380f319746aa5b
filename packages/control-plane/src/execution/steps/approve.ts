// Step 6: holds a gated call until a person has decided. The approved call is run by its ticket, never from here.
import { canElicit } from '@portico/upstream-pool';
import type { TicketDraft } from '../../approvals/ticket.js';
import { definitionNow } from '../../approvals/ticket-definition.js';
import { CallFailure } from '../../call/call.js';
import { cancelled, storeFailure } from '../../call/failures.js';
import { badState } from '../../interaction/parked-calls.js';
import { bindingOf } from '../../interaction/request-state.js';
import { retryOf } from '../../state/target.js';
import { type ApproveDeps, askClient, resumeApproval } from './ask-approval.js';
import type { Attempt } from './classify.js';
import { type Ended, type OwnTicket, toOutcome, waitFor } from './own-ticket.js';
import type { RecordDeps } from './record.js';

/** @throws CallFailure OPERATION_CANCELLED, INVALID_ARGS, POLICY_DENIED, INTERNAL_ERROR */
export async function approve(on: ApproveDeps & Pick<RecordDeps, 'clock'>, attempt: Attempt): Promise<Ended> {
  const { run, target } = attempt;
  const { call, operation, state } = run;
  const { approvals } = on;
  const mayDecide = state.policy.isAdmin(call.caller.role); // an admin may approve any call, their own too
  const draft = run.overMany('redacting the arguments', () => toDraft(attempt, on.clock.epochMs()));
  operation.hold(); // permanently: the next step waits for a person
  if (operation.signal.aborted) throw cancelled(operation.signal);
  if (call.requestState !== undefined && !mayDecide) throw badState();
  if (call.requestState !== undefined) return resumeApproval(on, target, call.requestState, call, operation);
  const { ticket, isNew } = await approvals.request(draft).catch((error: unknown) => {
    throw error instanceof CallFailure ? error : storeFailure(error);
  });
  if (ticket.key !== null && ticket.key.fingerprint !== draft.key?.fingerprint) throw keyTaken(ticket.key.key);
  const own: OwnTicket = { ticket, isNew, whileRunning: retryOf(target, draft.key !== null, 'unknown') };
  const isAsked = mayDecide && ticket.status.status === 'pending';
  if (isAsked && call.client !== undefined && canElicit(call.client.capabilities, 'form')) {
    return {
      outcome: await askClient(on, call.client, own, bindingOf(call, target), call, operation),
      isAudited: isNew,
    };
  }
  const decided = await waitFor(approvals, own, call, operation, call.approvalWaitMs);
  return { outcome: toOutcome({ ...own, ticket: decided }, call, approvals), isAudited: isNew };
}

/** The failure of a call whose key belongs to the ticket of another call. */
export function keyTaken(key: string): CallFailure {
  const message = `idempotency key ${JSON.stringify(key)} belongs to the approval of another request; use a new key`;
  return new CallFailure('INVALID_ARGS', message);
}

function toDraft({ run, target, claim }: Attempt, createdAtMs: number): TicketDraft {
  const { call, state, rule } = run;
  const { config, policy } = state;
  return {
    kind: call.kind,
    capabilityId: target.id,
    serverId: target.server,
    args: call.args,
    sanitizedArgs: policy.redactorOf(call.caller.role).sanitize(call.args),
    correlation: call.correlation,
    principal: call.caller.principal,
    profile: call.caller.profile,
    role: call.caller.role,
    actor: call.caller.actor,
    source: call.caller.source?.named ?? null,
    rule: rule ?? null,
    key: claim && { key: claim.key, fingerprint: claim.fingerprint },
    definition: definitionNow(state, call.kind, target.id) ?? null,
    createdAtMs,
    expiresAtMs: createdAtMs + config.policy.approvalTimeoutSecs * 1000,
  };
}
