// Opens tickets within limits: what waits for people is held for long, and must not fill memory or disk.
import { CallFailure } from '../call/call.js';
import type { Expiry } from '../waiting/expiry.js';
import type { FollowSettled } from '../waiting/follow-settled.js';
import { createRoom, ticketRoom } from '../waiting/room.js';
import { type TicketDraft, type TicketRef, toRef } from './ticket.js';
import type { TicketStore } from './ticket-store.js';

/** The `open` of the store, with what it opened watched. It throws CallFailure POLICY_DENIED when too much waits. */
export function createTicketOpening(
  store: TicketStore,
  pending: Expiry<TicketRef>,
  { lookAt }: FollowSettled,
): TicketStore['open'] {
  const lengths = () => pending.tickets().map(({ argsLength }) => argsLength);
  const room = createRoom(ticketRoom, lengths, (limit) => tooMuch(limits[limit]));
  return (draft: TicketDraft) =>
    room.take(JSON.stringify(draft.args).length, async () => {
      const opened = await store.open(draft);
      if (!opened.isNew) return opened;
      pending.watch(toRef(opened.ticket));
      lookAt(opened.ticket.id);
      return opened;
    });
}

const limits = {
  maxTickets: `${ticketRoom.maxTickets} calls`,
  maxLength: `calls with ${ticketRoom.maxLength / 1_000_000} million characters of arguments`,
} as const;

function tooMuch(what: string): CallFailure {
  const message = `${what} wait for approval already; repeat this one when some of them are decided`;
  return new CallFailure('POLICY_DENIED', message);
}
