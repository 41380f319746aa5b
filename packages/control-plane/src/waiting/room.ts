// Room for work that waits for people: a number of tickets, and a total of characters, shared between principals and
// between the servers of each.
import { createShares, type Holder } from '@portico/async';
import type { Limits } from '@portico/contracts';
import type { UsedUp } from './share-used-up.js';

export interface Room<T> {
  /** Room for a ticket that is on its way, until the returned function is called. Throws what `refuse` makes where there is none. */
  take(holder: Holder, length: number, refuse: (usedUp: UsedUp) => Error): () => void;
  /** The ticket waits from now on. */
  add(ticket: T): void;
  /** It waits no more. */
  remove(ticket: T): void;
}

export interface RoomOptions<T> {
  readonly limits: () => Limits;
  /** The setting that limits the number of tickets. */
  readonly setting: 'approvals' | 'samplingTickets';
  /** The holder of a ticket, and its length in characters. */
  readonly measure: (ticket: T) => { readonly holder: Holder; readonly length: number };
}

export function createRoom<T>({ limits, setting, measure }: RoomOptions<T>): Room<T> {
  const tickets = createShares(() => limits()[setting]);
  const characters = createShares(() => limits().waitingCharacters);
  const release = (holder: Holder, length: number) => {
    tickets.release(holder);
    characters.release(holder, length);
  };
  return {
    take(holder, length, refuse) {
      const tooMany = tickets.take(holder);
      if (tooMany !== undefined) throw refuse({ ...tooMany, setting, limit: limits()[setting] });
      const tooLong = characters.take(holder, length);
      if (tooLong === undefined) return () => release(holder, length);
      tickets.release(holder);
      throw refuse({ ...tooLong, setting: 'waitingCharacters', limit: limits().waitingCharacters });
    },
    add(ticket) {
      const { holder, length } = measure(ticket);
      tickets.add(holder);
      characters.add(holder, length);
    },
    remove(ticket) {
      const { holder, length } = measure(ticket);
      release(holder, length);
    },
  };
}
