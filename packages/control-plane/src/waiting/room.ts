// Room for what waits for people: so many tickets, and so many characters in all of them.

export interface RoomLimits {
  readonly maxTickets: number;
  /** Characters of JSON. */
  readonly maxLength: number;
}

export interface Room {
  /** Opens a ticket that is so long. While it is on its way it counts already. Rejects with `refuse` where there is no room. */
  take<T>(length: number, open: () => Promise<T>): Promise<T>;
}

/**
 * @param waiting the lengths of what waits
 * @param refuse makes the error; it is told which limit is reached
 */
export function createRoom(
  { maxTickets, maxLength }: RoomLimits,
  waiting: () => readonly number[],
  refuse: (limit: keyof RoomLimits) => Error,
): Room {
  let opening = { tickets: 0, length: 0 };
  return {
    async take(length, open) {
      const lengths = waiting();
      if (lengths.length + opening.tickets >= maxTickets) throw refuse('maxTickets');
      const total = lengths.reduce((sum, each) => sum + each, opening.length + length);
      if (total > maxLength) throw refuse('maxLength');
      opening = { tickets: opening.tickets + 1, length: opening.length + length };
      try {
        return await open();
      } finally {
        opening = { tickets: opening.tickets - 1, length: opening.length - length };
      }
    },
  };
}

/** Of everything that waits for people there are two kinds, approvals and sampling; each has this much room. */
export const ticketRoom: RoomLimits = Object.freeze({ maxTickets: 1000, maxLength: 64_000_000 });
