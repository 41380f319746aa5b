// Classifies a call: a call of its own, the call of an approved ticket, the next turn of a waiting one, or a further
// round of an approved one.
import type { JsonObject } from '@portico/contracts';
import type { IdempotencyClaim } from '@portico/idempotency';
import type { Call } from '../../call/call.js';
import { idempotencyClaimOf } from '../../call/keys.js';
import type { Target } from '../../call/target.js';
import type { ApprovedTurns } from '../../interaction/approved-turns.js';
import { badState, type ParkedCalls } from '../../interaction/parked-calls.js';
import { bindingOf, type RequestStates } from '../../interaction/request-state.js';
import type { Permission } from '../../state/target.js';
import type { Metered } from './metered.js';
import type { Prepared } from './prepare.js';
import type { Run } from './record.js';

export interface ClassifyDeps {
  readonly approvedTurns: ApprovedTurns;
  readonly parked: ParkedCalls;
  readonly states: RequestStates;
}

export interface Attempt {
  readonly run: Run;
  readonly target: Target;
  readonly prepared: Prepared;
  /** The arguments to send: the approved ones, even if they differ from the requested ones. */
  readonly args: JsonObject;
  /** The idempotency key in force with the fingerprint of the request; null for none. */
  readonly claim: IdempotencyClaim | null;
  /** Whether a rule requires approval for calls of the target. */
  readonly isGated: boolean;
  /** Whether this is a further round of an approved call, which is valid only with that approval. */
  readonly isRound: boolean;
  /** Whether a person has to decide first. */
  readonly needsApproval: boolean;
  /** Its checks and counts by the rules on usage; absent without such rules, and once they are applied. */
  readonly metered?: Metered;
}

/** The arguments of a further round of an approved call, at an upstream that keeps nothing between requests. */
export function approvedRound({ approvedTurns }: ClassifyDeps, { call, entry }: Run, target: Target) {
  const { requestState } = call;
  if (entry.kind === 'ticket' || requestState === undefined) return undefined;
  return approvedTurns.find(requestState, bindingOf(call, target));
}

interface Known {
  readonly target: Target;
  readonly permission: Permission;
  /** The arguments of an approved round; undefined for any other call. */
  readonly round: JsonObject | undefined;
  readonly prepared: Prepared;
}

/** @throws CallFailure INVALID_ARGS */
export function classify(on: ClassifyDeps, run: Run, { target, permission, round, prepared }: Known): Attempt {
  const { call, entry, key } = run;
  if (call.requestState !== undefined) refuseForeignState(on, call, call.requestState, target);
  const isTicket = entry.kind === 'ticket';
  const claim = isTicket ? entry.claim : key === null ? null : claimOf(run, target, key);
  const isGated = permission.verdict === 'require_approval';
  if (isGated) run.rule = permission.rule;
  return {
    run,
    target,
    prepared,
    args: round ?? call.args,
    claim,
    isGated,
    isRound: isGated && round !== undefined,
    needsApproval: isGated && !isTicket && round === undefined && !continuesApproved(on, run, target, claim),
  };
}

/** Checked before a stored answer is returned: the state may belong to a call under another key. @throws CallFailure INVALID_ARGS */
function refuseForeignState({ states }: ClassifyDeps, call: Call, state: string, target: Target): void {
  if (states.read(state, bindingOf(call, target)).kind === 'invalid') throw badState();
}

/** A call that waits at its upstream continues under its first key. */
function claimOf(run: Run, target: Target, key: string): IdempotencyClaim {
  const { call, continued } = run;
  if (continued?.key === key) return continued;
  return run.isLarge ? claimOfMany(run, target, key) : idempotencyClaimOf(call, target, key);
}

function claimOfMany(run: Run, target: Target, key: string): IdempotencyClaim {
  return run.overMany('digesting the arguments', () => idempotencyClaimOf(run.call, target, key));
}

/** Whether this answers the questions of a waiting approved call, or repeats its first request, under its key. */
function continuesApproved(
  { parked }: ClassifyDeps,
  { call }: Run,
  target: Target,
  claim: IdempotencyClaim | null,
): boolean {
  const { requestState } = call;
  if (requestState !== undefined) return parked.find(requestState, bindingOf(call, target)) !== undefined;
  return claim !== null && parked.withKey(claim)?.call.claim?.fingerprint === claim.fingerprint;
}
