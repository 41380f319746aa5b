// Step 6, before a person is asked: whether a grant answers the call. It answers only rules of the policy that require an
// approval; loops, budgets and everything that refuses a call come first.
import type { Approvals } from '../../approvals/approvals.js';
import { bindingNow } from '../../approvals/grant-offer.js';
import type { GrantUse } from '../../approvals/grant-use.js';
import type { Grants } from '../../approvals/grants.js';
import type { CompiledGrants } from '../../state/grant-rules.js';
import type { Attempt } from './classify.js';

export interface AnswerByGrantDeps {
  readonly approvals: Approvals;
  readonly grants: Grants;
}

/** The use of a grant that the call may take when it starts. Rejects with CallFailure INTERNAL_ERROR. */
export async function answerByGrant(
  { approvals, grants }: AnswerByGrantDeps,
  { run, target, prepared, claim, isGated, metered }: Attempt,
  rules: CompiledGrants,
): Promise<GrantUse | undefined> {
  const { call, state } = run;
  // A state belongs to a question that is being asked already.
  if (!isGated || call.requestState !== undefined) return undefined;
  if (rules.refusalOf(target) !== undefined) return undefined;
  const binding = bindingNow(state, rules, target, call.caller);
  if (binding === undefined || (await metered?.needsPerson()) === true) return undefined;
  const use = await grants.answering({ ...binding, args: prepared.args });
  // A repeat joins the ticket of its key, and a rejection stays one.
  if (use === undefined || (claim !== null && (await approvals.hasTicket(claim)))) return undefined;
  return use;
}
