// Decisions on tickets, each in one step: of several at once one counts. An approval counts for the definition that the
// ticket asks about, and only while that is the definition in force.
import { decideTicket, type TicketDecision } from '@portico/policy-engine';
import { kept } from '../call/failures.js';
import type { Expiry } from '../waiting/expiry.js';
import type { Waiters } from '../waiting/waiters.js';
import { type NotifyDeps, notifyEvent, ticketEvents } from './notify.js';
import type { Reasking } from './reasking.js';
import type { Ticket, TicketRef } from './ticket.js';
import type { TicketRuns } from './ticket-runs.js';
import type { TicketStore } from './ticket-store.js';

export type DecisionResult =
  | { readonly kind: 'decided'; readonly ticket: Ticket }
  | { readonly kind: 'not_pending'; readonly ticket: Ticket }
  /** It is pending, and asks about another definition than the one that was shown. */
  | { readonly kind: 'definition_changed'; readonly ticket: Ticket }
  | { readonly kind: 'unknown' };

/** @param seen digest of the definition that the approver was shown; without it, the one that it was opened with */
export type Decide = (id: string, decision: TicketDecision, seen?: string | null) => Promise<DecisionResult>;

export interface DecidingDeps extends NotifyDeps {
  readonly store: TicketStore;
  readonly reasking: Reasking;
  readonly pending: Pick<Expiry<TicketRef>, 'unwatch'>;
  readonly runs: TicketRuns;
  readonly waiters: Waiters;
}

export function createDeciding(on: DecidingDeps): Decide {
  const { store, clock, reasking, pending, runs, waiters } = on;
  const decide: Decide = async (id, decision, seen) => {
    const ticket = await kept(store.get(id));
    if (ticket === undefined) return { kind: 'unknown' };
    const { status, expiresAtMs } = ticket;
    const nowMs = clock.epochMs();
    const settled = decideTicket({ status, expiresAtEpochMs: expiresAtMs }, decision, nowMs);
    const isApproval = settled?.status === 'approved';
    const reasked = isApproval ? await reasking.beforeDecision(ticket, seen) : undefined;
    if (reasked !== undefined) return toReasked(reasked);
    const digest = isApproval ? (ticket.definition?.digest ?? null) : undefined;
    const decided = settled && (await kept(store.settle(id, settled, digest)));
    if (decided === undefined) {
      // Its time is over, and its timer only not there yet.
      const isOverdue = status.status === 'pending' && decision.kind !== 'expire' && nowMs >= expiresAtMs;
      if (isOverdue) await decide(id, { kind: 'expire' });
      const now = (await store.get(id)) ?? ticket;
      return isApproval ? toReasked(now) : { kind: 'not_pending', ticket: now };
    }
    pending.unwatch(id);
    const name = decided.status.status as Exclude<Ticket['status']['status'], 'pending'>; // it has just been settled
    const notified = notifyEvent(on, decided, ticketEvents[name]);
    if (name === 'approved')
      runs.begin(
        decided,
        notified.catch(() => {}),
      ); // it is decided, whether it is written or not
    try {
      await notified;
    } finally {
      if (name !== 'approved') waiters.wake(id);
    }
    return { kind: 'decided', ticket: decided };
  };

  return decide;
}

/** An approval did not count: the ticket asks about something else, or has been decided on. */
function toReasked(ticket: Ticket): DecisionResult {
  return { kind: ticket.status.status === 'pending' ? 'definition_changed' : 'not_pending', ticket };
}
