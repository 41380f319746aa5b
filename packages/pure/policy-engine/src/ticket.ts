// The states of an approval ticket and the moves between them. Keeps no ticket and no time of its own.
// A ticket is decided once: whatever comes later is refused.
import type { JsonObject } from '@portico/contracts';

/** `timestamp` is the time of the decision, Unix seconds. */
export type TicketStatus =
  | { readonly status: 'pending' }
  | {
      readonly status: 'approved';
      readonly operator: string;
      readonly timestamp: number;
      readonly modifiedArgs?: JsonObject;
    }
  | { readonly status: 'rejected'; readonly operator: string; readonly timestamp: number; readonly reason?: string }
  | { readonly status: 'expired'; readonly timestamp: number };

export type TicketDecision =
  | { readonly kind: 'approve'; readonly operator: string; readonly modifiedArgs?: JsonObject }
  | { readonly kind: 'reject'; readonly operator: string; readonly reason?: string }
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
      return { status: 'approved', operator, timestamp, ...(modifiedArgs === undefined ? {} : { modifiedArgs }) };
    }
    case 'reject': {
      const { operator, reason } = decision;
      return { status: 'rejected', operator, timestamp, ...(reason === undefined ? {} : { reason }) };
    }
    case 'expire':
      return { status: 'expired', timestamp };
  }
}
