// The tickets that are pending in this process, each with the timer that expires it.
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../ports.js';
import type { Ticket } from './ticket.js';

export interface Expiry {
  /** Calls `expire` at the ticket's end. Watching it again replaces its timer. */
  watch(ticket: Ticket): void;
  unwatch(id: string): void;
  tickets(): readonly Ticket[];
  /** Ends every timer, for good. */
  close(): void;
}

const retryMs = 1000;

/** @param expire tried again after a second when it fails */
export function createExpiry(clock: Clock, log: Log, expire: (ticket: Ticket) => Promise<void>): Expiry {
  const watched = new Map<string, { readonly ticket: Ticket; readonly disarm: () => void }>();
  let isClosed = false;

  const arm = (ticket: Ticket, inMs: number) => {
    watched.get(ticket.id)?.disarm();
    if (isClosed) return;
    const disarm = clock.after(Math.max(0, inMs), () => {
      expire(ticket).catch((error: unknown) => {
        log('error', 'a ticket could not be expired; it is tried again', { approval_id: ticket.id, error });
        arm(ticket, retryMs);
      });
    });
    watched.set(ticket.id, { ticket, disarm });
  };

  return {
    watch: (ticket) => arm(ticket, ticket.expiresAtMs - clock.epochMs()),
    unwatch(id) {
      watched.get(id)?.disarm();
      watched.delete(id);
    },
    tickets: () => [...watched.values()].map(({ ticket }) => ticket),
    close() {
      isClosed = true;
      for (const { disarm } of watched.values()) disarm();
      watched.clear();
    },
  };
}
