// Asks a person again if the definition of a ticket has changed since it was last shown: at the decision, and at the
// run. If the definition is unknown at the decision, the run checks it and reports what is missing.
import { kept } from '../call/failures.js';
import type { PlaneState } from '../state/plane-state.js';
import { type NotifyDeps, notifyEvent, ticketEvents } from './notify.js';
import type { Ticket } from './ticket.js';
import { type AskedDefinition, definitionNow, type TicketDefinition } from './ticket-definition.js';
import type { TicketStore } from './ticket-store.js';

export interface Reasking {
  /**
   * The ticket as it is now, where a person has to look at it again before approving it; undefined if not.
   * @param seen digest of the definition that they were shown; undefined if they did not say, which is enough only
   *   where the ticket was never asked again
   */
  beforeDecision(ticket: Ticket, seen: string | null | undefined): Promise<Ticket | undefined>;
  /** Makes an approved ticket pending again, before anything was sent. Undefined if its run has ended. */
  beforeRun(ticket: Ticket): Promise<Ticket | undefined>;
}

export interface ReaskingDeps extends NotifyDeps {
  readonly store: Pick<TicketStore, 'get' | 'redefine' | 'reopen'>;
}

export function createReasking(on: ReaskingDeps): Reasking {
  const { store, clock, state } = on;
  /** The ticket is asked again whether that is recorded yet or not: the log keeps the record until it is written. */
  const notifyReasked = (ticket: Ticket) =>
    notifyEvent(on, ticket, ticketEvents.reasked).catch((error: unknown) => {
      on.log('error', 'an audit record is not written yet', { approval_id: ticket.id, error });
    });
  return {
    async beforeDecision(ticket, seen) {
      const asked = ticket.definition?.digest ?? null;
      const now = definitionNow(state(), ticket.kind, ticket.capabilityId);
      if (now !== undefined && now.digest !== asked) {
        const reasked = await kept(store.redefine(ticket.id, asked, askedAgain(ticket, now)));
        if (reasked !== undefined) await notifyReasked(reasked);
        return reasked ?? (await kept(store.get(ticket.id)));
      }
      if (seen !== undefined) return seen === asked ? undefined : ticket;
      return ticket.definition?.before === undefined ? undefined : ticket; // asked again: they may have seen the first
    },
    async beforeRun(ticket) {
      const now = definitionNow(state(), ticket.kind, ticket.capabilityId);
      const definition = now === undefined ? ticket.definition : askedAgain(ticket, now);
      const expiresAtMs = Math.max(
        ticket.expiresAtMs,
        clock.epochMs() + state().config.policy.approvalTimeoutSecs * 1000,
      );
      const reasked = await store.reopen(ticket.id, definition, expiresAtMs);
      if (reasked !== undefined) await notifyReasked(reasked);
      return reasked;
    },
  };
}

/** The first definition stays the one to compare with: two changes, one after the other, hide none. */
function askedAgain({ definition }: Ticket, now: TicketDefinition): AskedDefinition {
  if (definition === null) return { ...now, before: null };
  const { before = definition, ...rest } = definition;
  return { ...now, before: before === definition ? rest : before };
}

/** Whether a call of the ticket would run the approved definition, as far as known at this moment. */
export function isAsApproved(state: PlaneState, ticket: Ticket): boolean {
  const now = definitionNow(state, ticket.kind, ticket.capabilityId);
  return now !== undefined && now.digest === ticket.definition?.digest;
}

/** Whether it is known to be another: a server whose lists are unread is left to the moment of sending. */
export function isOtherNow(state: PlaneState, ticket: Ticket): boolean {
  const now = definitionNow(state, ticket.kind, ticket.capabilityId);
  return now !== undefined && now.digest !== ticket.definition?.digest;
}
