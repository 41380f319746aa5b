// The states of an approval ticket and the moves between them. Keeps no ticket and no time of its own. A ticket is
// decided once: later decisions are refused.
import type { JsonObject } from '@portico/contracts';

/**
 * `timestamp` is the time of the decision, Unix seconds. `operator` is the name that the decider claims, `decidedBy`
 * the authenticated identity.
 */
export type TicketStatus =
  | { readonly status: 'pending' }
  | {
      readonly status: 'approved';
      readonly operator: string;
      readonly timestamp: number;
      readonly modifiedArgs?: JsonObject;
      readonly decidedBy?: string;
    }
  | {
      readonly status: 'rejected';
      readonly operator: string;
      readonly timestamp: number;
      readonly reason?: string;
      readonly decidedBy?: string;
    }
  | { readonly status: 'expired'; readonly timestamp: number };

export type TicketDecision =
  | {
      readonly kind: 'approve';
      readonly operator: string;
      readonly modifiedArgs?: JsonObject;
      readonly decidedBy?: string;
    }
  | { readonly kind: 'reject'; readonly operator: string; readonly reason?: string; readonly decidedBy?: string }
  | { readonly kind: 'expire' };

export interface TicketTimes {
  readonly status: TicketStatus;
  readonly expiresAtEpochMs: number;
}

/**
 * The status a decision leads to. A ticket's time is over from `expiresAtEpochMs` on.
 *
 * @returns undefined when the ticket is not pending, when its time is over and the decision is not `expire`,
 *   or for `expire` before its time.
 */
export function decideTicket(
  ticket: TicketTimes,
  decision: TicketDecision,
  nowEpochMs: number,
): Exclude<TicketStatus, { status: 'pending' }> | undefined {
  if (ticket.status.status !== 'pending') return undefined;
  const isOver = nowEpochMs >= ticket.expiresAtEpochMs;
  if (isOver !== (decision.kind === 'expire')) return undefined;
  const timestamp = Math.floor(nowEpochMs / 1000);
  switch (decision.kind) {
    case 'approve': {
      const { operator, modifiedArgs } = decision;
      const changed = modifiedArgs === undefined ? {} : { modifiedArgs };
      return { status: 'approved', operator, timestamp, ...changed, ...deciderOf(decision) };
    }
    case 'reject': {
      const { operator, reason } = decision;
      return {
        status: 'rejected',
        operator,
        timestamp,
        ...(reason === undefined ? {} : { reason }),
        ...deciderOf(decision),
      };
    }
    case 'expire':
      return { status: 'expired', timestamp };
  }
}

function deciderOf({ decidedBy }: { readonly decidedBy?: string }): { readonly decidedBy?: string } {
  return decidedBy === undefined ? {} : { decidedBy };
}
