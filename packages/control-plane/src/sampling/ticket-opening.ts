// Opens sampling tickets within limits: a server that never stops asking, or a caller, leaves room for the others.
import type { Holder } from '@portico/async';
import type { Limits } from '@portico/contracts';
import { CallFailure } from '../call/call.js';
import { kept } from '../call/failures.js';
import type { Expiry } from '../waiting/expiry.js';
import type { FollowSettled } from '../waiting/follow-settled.js';
import { createRoom, type Room } from '../waiting/room.js';
import type { UsedUp } from '../waiting/share-used-up.js';
import type { SamplingStore } from './sampling-store.js';
import { type SamplingDraft, type SamplingRef, type SamplingTicket, toSamplingRef } from './ticket.js';

/** The room of all tickets that are pending. */
export function createSamplingRoom(limits: () => Limits): Room<SamplingRef> {
  return createRoom({
    limits,
    setting: 'samplingTickets',
    measure: (ref) => ({ holder: holderOf(ref), length: ref.paramsLength }),
  });
}

export interface SamplingOpeningDeps {
  readonly store: SamplingStore;
  readonly room: Room<SamplingRef>;
  readonly pending: Expiry<SamplingRef>;
  readonly following: FollowSettled;
}

/** The `open` of the store, with what it opened watched. It throws CallFailure POLICY_DENIED when too much waits. */
export function createSamplingOpening({ store, room, pending, following }: SamplingOpeningDeps) {
  return async (draft: SamplingDraft): Promise<SamplingTicket> => {
    const length = JSON.stringify(draft.params).length;
    const release = room.take(holderOf(draft), length, (usedUp) => tooMuch(usedUp, draft));
    try {
      const ticket = await kept(store.open(draft));
      pending.watch(toSamplingRef(ticket));
      following.lookAt(ticket.id);
      return ticket;
    } finally {
      release();
    }
  };
}

/** The holder of the share: questions of servers outside of calls belong to no principal. */
function holderOf({ principal, serverId }: Pick<SamplingRef, 'principal' | 'serverId'>): Holder {
  return [principal ?? '', serverId];
}

/** A server may read this: it names no principal. */
function tooMuch({ level, held, setting, limit }: UsedUp, { serverId }: SamplingDraft): CallFailure {
  const things = setting === 'waitingCharacters' ? 'characters in sampling tickets' : 'sampling tickets';
  const who = level === 0 ? `the caller of server "${serverId}"` : `server "${serverId}"`;
  const share = `${who} has all of its share of pending ${things}: ${held} (limits.${setting}: ${limit})`;
  return new CallFailure('POLICY_DENIED', `${share}; answer some of them first`);
}
