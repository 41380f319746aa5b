// Tickets that other processes settle: who waits for one here looks again, and nothing is left to expire.
import type { Log } from '../common/log.js';
import type { Expiring, Expiry } from './expiry.js';
import type { Waiters } from './waiters.js';

export interface SettledElsewhere<T extends Expiring> {
  /** As in `TicketStore`. */
  readonly follow: ((listener: (id: string | undefined) => void) => () => void) | undefined;
  readonly pending: Expiry<T>;
  readonly waiters: Waiters;
  readonly isPending: (id: string) => Promise<boolean>;
  readonly onSettled?: (id: string) => void;
  readonly log: Log;
}

export interface FollowSettled {
  /** For a ticket that was opened before it was watched: others have seen it from when it was committed. */
  lookAt(id: string): void;
  stop(): void;
}

export function followSettled<T extends Expiring>(on: SettledElsewhere<T>): FollowSettled {
  const { follow, pending, waiters, isPending, onSettled = () => {}, log } = on;
  const look = async (id: string): Promise<void> => {
    try {
      if (await isPending(id)) return;
      pending.unwatch(id);
      onSettled(id);
    } catch (error) {
      log('warn', 'a ticket could not be looked at', { ticket_id: id, error }); // it is found when its time is over
    }
  };
  const unfollow = follow?.((id) => {
    waiters.nudge(id);
    for (const ticket of pending.tickets()) if (id === undefined || ticket.id === id) void look(ticket.id);
  });
  return {
    lookAt(id) {
      if (follow !== undefined) void look(id);
    },
    stop: () => unfollow?.(),
  };
}
