// Where people see and decide what waits for them: tickets in the wire's form, decisions checked before they count.
import type { ApprovalStatus, ApprovalTicket, Envelope, JsonObject } from '@portico/contracts';
import { CallFailure } from '../call.js';
import type { Execution } from '../execute.js';
import { readPage } from '../page.js';
import type { PlaneState } from '../plane-state.js';
import { toCall } from '../run-ticket.js';
import { prepare } from '../steps/prepare.js';
import { resolve } from '../steps/resolve.js';
import { isSeen } from '../visibility.js';
import type { Approvals, DecisionResult } from './approvals.js';
import type { Ticket } from './ticket.js';
import { toApprovalTicket, toListedTicket } from './wire.js';

export interface ApprovalQuery {
  readonly status?: ApprovalStatus['status'];
  readonly limit: number;
  readonly offset: number;
}

export type Decision =
  /** `result` is there for an approved call that has ended. */
  | { readonly kind: 'decided'; readonly approval: ApprovalTicket; readonly result: Envelope | null }
  /** Somebody, or time, was faster. */
  | { readonly kind: 'not_pending'; readonly approval: ApprovalTicket }
  | { readonly kind: 'unknown' };

export interface Desk {
  /** Newest first and without results, fewer than asked for where they are large; `total` counts all that match. */
  list(query: ApprovalQuery): Promise<{ readonly approvals: readonly ApprovalTicket[]; readonly total: number }>;
  get(id: string): Promise<ApprovalTicket | undefined>;
  /** Runs the call, with other arguments where they are given, and waits for its result for up to toolTimeoutMs. @throws CallFailure INVALID_ARGS, INTERNAL_ERROR */
  approve(id: string, operator: string, modifiedArgs: JsonObject | null): Promise<Decision>;
  reject(id: string, operator: string, reason: string | null): Promise<Decision>;
}

export function createDesk(approvals: Approvals, execution: Execution, state: () => PlaneState): Desk {
  /** A rule that denies what was run takes its result out of sight as well; a refusal it caused stays. */
  const show = (ticket: Ticket): ApprovalTicket => {
    const now = state();
    const { result, ...approval } = toApprovalTicket(ticket, now.policy.redactor);
    const isShown = result?.ok === false || isSeen(now, ticket.kind, ticket.capabilityId);
    return result === undefined || !isShown ? approval : { ...approval, result };
  };

  /** A decision that could not be recorded is not taken. */
  const decide: Approvals['decide'] = async (id, decision) => {
    const action = await execution.audit.begin();
    try {
      return await approvals.decide(id, decision);
    } finally {
      await action.end();
    }
  };

  return {
    async list(query) {
      const { redactor } = state().policy;
      let total = 0;
      const page = await readPage(query, async (part) => {
        const found = await approvals.list({ ...query, ...part });
        total = found.total;
        return found.tickets.map((ticket) => toListedTicket(ticket, redactor));
      });
      return { approvals: page, total };
    },
    async get(id) {
      const ticket = await approvals.get(id);
      return ticket && show(ticket);
    },
    async approve(id, operator, modifiedArgs) {
      const ticket = modifiedArgs === null ? undefined : await approvals.get(id);
      if (ticket?.status.status === 'pending' && modifiedArgs !== null) {
        checkArguments(execution, state(), ticket, modifiedArgs);
      }
      const changed = modifiedArgs === null ? {} : { modifiedArgs };
      const result = await decide(id, { kind: 'approve', operator, ...changed });
      if (result.kind !== 'decided') return toDecision(result, show);
      const { toolTimeoutMs } = state().config;
      const ended = await approvals.wait(id, toolTimeoutMs, []);
      return toDecision({ kind: 'decided', ticket: ended ?? result.ticket }, show);
    },
    async reject(id, operator, reason) {
      const why = reason === null ? {} : { reason };
      return toDecision(await decide(id, { kind: 'reject', operator, ...why }), show);
    },
  };
}

function toDecision(result: DecisionResult, show: (ticket: Ticket) => ApprovalTicket): Decision {
  if (result.kind === 'unknown') return result;
  const approval = show(result.ticket);
  return result.kind === 'not_pending'
    ? { kind: 'not_pending', approval }
    : { kind: 'decided', approval, result: approval.result ?? null };
}

/** As the call itself will be checked, so that a mistake is told to who made it and the ticket stays open. */
function checkArguments(on: Execution, state: PlaneState, ticket: Ticket, args: JsonObject): void {
  const { kind, id, caller } = toCall(ticket, args);
  try {
    if (kind === 'resource' && Object.keys(args).length > 0)
      throw new CallFailure('INVALID_ARGS', 'a resource takes no arguments');
    prepare(on.validator, resolve(state, caller.profile, kind, id), args);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    throw new CallFailure('INVALID_ARGS', `modified_args: ${error.message}`);
  }
}
