// Opens tickets within limits: what waits for people is held for long, and must not fill memory or disk.
import { CallFailure } from '../call.js';
import type { Expiry } from './expiry.js';
import { type TicketDraft, toRef } from './ticket.js';
import type { TicketStore } from './ticket-store.js';

const maxTickets = 1000;
const maxLength = 64_000_000; // characters of JSON

/** The `open` of the store, with what it opened watched. It throws CallFailure POLICY_DENIED when too much waits. */
export function createTicketOpening(store: TicketStore, pending: Expiry): TicketStore['open'] {
  let opening = { tickets: 0, length: 0 }; // on their way into the store: they count already

  return async (draft: TicketDraft) => {
    const { length } = JSON.stringify(draft.args);
    if (pending.tickets().length + opening.tickets >= maxTickets) throw tooMuch(`${maxTickets} calls`);
    if (pending.argsLength() + opening.length + length > maxLength) {
      throw tooMuch(`calls with ${maxLength / 1_000_000} million characters of arguments`);
    }
    opening = { tickets: opening.tickets + 1, length: opening.length + length };
    try {
      const opened = await store.open(draft);
      if (opened.isNew) pending.watch(toRef(opened.ticket));
      return opened;
    } finally {
      opening = { tickets: opening.tickets - 1, length: opening.length - length };
    }
  };
}

function tooMuch(what: string): CallFailure {
  const message = `${what} wait for approval already; repeat this one when some of them are decided`;
  return new CallFailure('POLICY_DENIED', message);
}
