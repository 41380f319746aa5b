// Where people see and decide what waits for them: tickets in the wire's form, decisions checked before they count.
import {
  type ApprovalStatus,
  type ApprovalTicket,
  type Envelope,
  type GrantOffer,
  gatherExact,
  type JsonObject,
} from '@portico/contracts';
import type { AuditLog } from '../audit/audit-log.js';
import type { ConfigAuthor } from '../audit/change-draft.js';
import { type Caller, CallFailure } from '../call/call.js';
import type { Target } from '../call/target.js';
import { readPage } from '../common/page.js';
import type { PlaneState } from '../state/plane-state.js';
import { authorize, findTarget, resolve } from '../state/target.js';
import { isSeen } from '../state/visibility.js';
import type { Approvals } from './approvals.js';
import type { DecisionResult } from './deciding.js';
import { shownConditions } from './grant-conditions.js';
import type { GrantRequest } from './grant-offer.js';
import type { StoredGrant } from './grant-store.js';
import type { Grants, PlannedGrant } from './grants.js';
import { approvedArgs, type Ticket } from './ticket.js';
import { toCall } from './to-call.js';
import { toApprovalTicket, toListedTicket } from './wire.js';

export interface ApprovalQuery {
  readonly status?: ApprovalStatus['status'];
  /** Only tickets of this principal. */
  readonly principal?: string;
  readonly limit: number;
  readonly offset: number;
}

export type Decision =
  /** `result` is there for an approved call that has ended. */
  | {
      readonly kind: 'decided';
      readonly approval: ApprovalTicket;
      readonly result: Envelope | null;
      /** The grant that was made with the approval. */
      readonly grantId?: string | undefined;
    }
  /** Another decision, or the expiry, came first: no grant was made. */
  | { readonly kind: 'not_pending'; readonly approval: ApprovalTicket }
  /** The definition differs from the one asked about before: the ticket is pending, and shows the difference. */
  | { readonly kind: 'definition_changed'; readonly approval: ApprovalTicket }
  | { readonly kind: 'unknown' };

export interface ApprovedHow {
  /** The authenticated name of the approver, if authentication is required. */
  readonly decidedBy?: string | null;
  /** Digest of the definition that they were shown, where they say so. */
  readonly definition?: string | null | undefined;
  /** Keeps the approval for later calls. */
  readonly grant?: (GrantRequest & { readonly by: ConfigAuthor }) | undefined;
}

export interface ApprovalService {
  /** Newest first and without results, fewer than asked for where they are large; `total` counts all that match. */
  list(query: ApprovalQuery): Promise<{ readonly approvals: readonly ApprovalTicket[]; readonly total: number }>;
  /** @param owner only if the ticket is theirs; any ticket by default */
  get(id: string, owner?: Caller): Promise<ApprovalTicket | undefined>;
  /**
   * Runs the call, with other arguments where they are given, and waits for its result until its deadline has passed.
   * @throws CallFailure INVALID_ARGS, INTERNAL_ERROR
   */
  approve(id: string, operator: string, modifiedArgs: JsonObject | null, how?: ApprovedHow): Promise<Decision>;
  reject(id: string, operator: string, reason: string | null, decidedBy?: string | null): Promise<Decision>;
}

/** A call that runs into its deadline has its result a little later than that. */
const endsWithinMs = 1000;

export interface ApprovalServiceDeps {
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly audit: AuditLog;
  readonly state: () => PlaneState;
  /** Checks arguments as the call itself does. @throws CallFailure INVALID_ARGS */
  readonly checkArguments: (target: Target, args: JsonObject) => void;
}

/** Whether a rule on arguments denies what a ticket approved. */
function isDeniedWithArguments(now: PlaneState, ticket: Ticket): boolean {
  if (now.policy.argumentRules === undefined) return false;
  const { kind, capabilityId: id } = ticket;
  const target = findTarget(now, kind, id);
  return (
    target !== undefined && authorize(now, { id, caller: ticket }, target, approvedArgs(ticket)).verdict === 'deny'
  );
}

export function createApprovalService({
  approvals,
  grants,
  audit,
  state,
  checkArguments,
}: ApprovalServiceDeps): ApprovalService {
  /** A rule that denies what was run takes its result out of sight as well; a refusal it caused stays. */
  const show = (ticket: Ticket, owner?: Caller): ApprovalTicket => {
    const now = state();
    const { result, ...approval } = toApprovalTicket(ticket, now.policy.redactorOf(ticket.role));
    const viewer = owner && { profile: null, role: owner.role };
    const isShown =
      result?.ok === false ||
      (isSeen(now, ticket.kind, ticket.capabilityId, viewer) && !isDeniedWithArguments(now, ticket));
    return result === undefined || !isShown ? approval : { ...approval, result };
  };

  /** A decision that could not be recorded is not taken. */
  const decide: Approvals['decide'] = async (id, decision, seen) => {
    const action = await audit.begin();
    try {
      return await approvals.decide(id, decision, seen);
    } finally {
      await action.end();
    }
  };

  return {
    async list(query) {
      const { redactorOf } = state().policy;
      let total = 0;
      const page = await readPage(query, async (part) => {
        const found = await approvals.list({ ...query, ...part });
        total = found.total;
        return found.tickets.map((ticket) => toListedTicket(ticket, redactorOf(ticket.role)));
      });
      return { approvals: page, total };
    },
    async get(id, owner) {
      const ticket = await approvals.get(id);
      if (ticket === undefined || (owner !== undefined && ticket.principal !== owner.principal)) return undefined;
      return owner === undefined ? withOffer(grants, state(), ticket, show(ticket)) : show(ticket, owner);
    },
    async approve(id, operator, modifiedArgs, { decidedBy = null, definition, grant } = {}) {
      const before = modifiedArgs === null && grant === undefined ? undefined : await approvals.get(id);
      const isPending = before?.status.status === 'pending';
      if (isPending && modifiedArgs !== null) checkModified(checkArguments, state(), before, modifiedArgs);
      const planned = isPending && grant ? await grants.plan(before, modifiedArgs ?? before.args, grant) : undefined;
      // It may be asked again in between, and must not be approved without the grant that was asked for.
      if (before !== undefined && grant && !planned) return { kind: 'not_pending', approval: show(before) };
      const changed = modifiedArgs === null ? {} : { modifiedArgs };
      const approval = { kind: 'approve', operator, ...changed, ...deciderOf(decidedBy) } as const;
      const result = await decide(id, approval, definition);
      if (result.kind !== 'decided') return toDecision(result, show);
      const issued = planned && grant && (await issueFor(grants, result.ticket, planned, grant.by));
      const waitMs = state().config.toolTimeoutMs + endsWithinMs;
      const ticket = (await approvals.waitForRun(id, waitMs, [])) ?? result.ticket;
      const isAskedAgain = ticket.status.status === 'pending';
      const decision = toDecision({ kind: isAskedAgain ? 'definition_changed' : 'decided', ticket }, show);
      return decision.kind === 'decided' ? { ...decision, grantId: issued?.id } : decision; // else its grant answers nothing
    },
    async reject(id, operator, reason, decidedBy = null) {
      const why = reason === null ? {} : { reason };
      return toDecision(await decide(id, { kind: 'reject', operator, ...why, ...deciderOf(decidedBy) }), show);
    },
  };
}

/** The ticket is decided beforehand, so that a failure must not read as if it were not. @throws CallFailure INTERNAL_ERROR */
async function issueFor(grants: Grants, ticket: Ticket, planned: PlannedGrant, by: ConfigAuthor): Promise<StoredGrant> {
  return grants.issue(ticket, planned, by).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : error;
    const message = `approval ${ticket.id} is given and its call runs once, but no grant was made: ${reason}`;
    throw new CallFailure('INTERNAL_ERROR', message, undefined, { retryable: false });
  });
}

/** With the grant that its approval may be kept as, for those who may decide. */
function withOffer(grants: Grants, { policy }: PlaneState, ticket: Ticket, shown: ApprovalTicket): ApprovalTicket {
  if (policy.grants === undefined || ticket.status.status !== 'pending') return shown;
  const scope = grants.scope(ticket);
  if (scope === undefined) return shown;
  const { maxTtlSecs, maxUses } = policy.grants;
  const offer: GrantOffer = {
    max_ttl_secs: maxTtlSecs,
    max_uses: maxUses,
    arguments: shownConditions(scope.conditions, policy.redactorOf(ticket.role)),
  };
  return gatherExact({ ...shown, grant_offer: gatherExact(offer) }, [], shown);
}

function deciderOf(decidedBy: string | null): { readonly decidedBy?: string } {
  return decidedBy === null ? {} : { decidedBy };
}

function toDecision(result: DecisionResult, show: (ticket: Ticket) => ApprovalTicket): Decision {
  if (result.kind === 'unknown') return result;
  const approval = show(result.ticket);
  return result.kind === 'decided'
    ? { kind: 'decided', approval, result: approval.result ?? null }
    : { kind: result.kind, approval };
}

/** As the call itself will be checked, so that the approver gets the error and the ticket stays open. */
function checkModified(
  checkArguments: ApprovalServiceDeps['checkArguments'],
  state: PlaneState,
  ticket: Ticket,
  args: JsonObject,
): void {
  const { kind, id, caller } = toCall(ticket, args);
  try {
    if (kind === 'resource' && Object.keys(args).length > 0)
      throw new CallFailure('INVALID_ARGS', 'a resource takes no arguments');
    checkArguments(resolve(state, caller, kind, id), args);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    throw new CallFailure('INVALID_ARGS', `modified_args: ${error.message}`);
  }
}
