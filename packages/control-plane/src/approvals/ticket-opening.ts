// Opens tickets within limits: what waits for people is held for long, must not fill memory or disk, and must leave room
// for the tickets of others.
import type { Holder } from '@portico/async';
import type { Limits } from '@portico/contracts';
import { CallFailure } from '../call/call.js';
import type { Expiry } from '../waiting/expiry.js';
import type { FollowSettled } from '../waiting/follow-settled.js';
import { createRoom, type Room } from '../waiting/room.js';
import { shareUsedUp, type UsedUp } from '../waiting/share-used-up.js';
import { type TicketDraft, type TicketRef, toRef } from './ticket.js';
import type { TicketStore } from './ticket-store.js';

export interface TicketOpeningDeps {
  readonly store: TicketStore;
  readonly room: Room<TicketRef>;
  readonly pending: Expiry<TicketRef>;
  readonly following: FollowSettled;
}

/** The room of all tickets that are pending. */
export function createTicketRoom(limits: () => Limits): Room<TicketRef> {
  return createRoom({
    limits,
    setting: 'approvals',
    measure: (ticket) => ({ holder: holderOf(ticket), length: ticket.argsLength }),
  });
}

/** The `open` of the store, with what it opened watched. It throws CallFailure POLICY_DENIED when too much waits. */
export function createTicketOpening({ store, room, pending, following }: TicketOpeningDeps): TicketStore['open'] {
  return async (draft: TicketDraft) => {
    const length = JSON.stringify(draft.args).length;
    const release = room.take(holderOf(draft), length, (usedUp) => tooMuch(usedUp, draft));
    try {
      const opened = await store.open(draft);
      if (!opened.isNew) return opened;
      pending.watch(toRef(opened.ticket));
      following.lookAt(opened.ticket.id);
      return opened;
    } finally {
      release();
    }
  };
}

function holderOf({ principal, serverId }: Pick<TicketRef, 'principal' | 'serverId'>): Holder {
  return [principal, serverId];
}

function tooMuch(usedUp: UsedUp, { principal, actor, serverId }: TicketDraft): CallFailure {
  const calls = 'calls that wait for approval';
  const things = usedUp.setting === 'waitingCharacters' ? `characters in ${calls}` : calls;
  const share = shareUsedUp(usedUp, things, { principal: actor ?? principal, server: serverId });
  return new CallFailure('POLICY_DENIED', `${share}; repeat this one when some of them are decided`);
}
