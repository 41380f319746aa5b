// The tickets that are pending in this process, each with the timer that expires it.
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../ports.js';
import type { TicketRef } from './ticket.js';

export interface Expiry {
  /** Calls `expire` at the ticket's end. Watching it again replaces its timer. */
  watch(ticket: TicketRef): void;
  unwatch(id: string): void;
  tickets(): readonly TicketRef[];
  /** Of all of them, characters of JSON. */
  argsLength(): number;
  /** Ends every timer, for good. */
  close(): void;
}

const retryMs = 1000;

/** @param expire tried again after a second when it fails */
export function createExpiry(clock: Clock, log: Log, expire: (ticket: TicketRef) => Promise<void>): Expiry {
  const watched = new Map<string, { readonly ticket: TicketRef; readonly disarm: () => void }>();
  let isClosed = false;

  let argsLength = 0;

  const unwatch = (id: string) => {
    const known = watched.get(id);
    if (known === undefined) return;
    known.disarm();
    watched.delete(id);
    argsLength -= known.ticket.argsLength;
  };

  const arm = (ticket: TicketRef, inMs: number) => {
    unwatch(ticket.id);
    if (isClosed) return;
    const disarm = clock.after(Math.max(0, inMs), () => {
      expire(ticket).catch((error: unknown) => {
        log('error', 'a ticket could not be expired; it is tried again', { approval_id: ticket.id, error });
        arm(ticket, retryMs);
      });
    });
    watched.set(ticket.id, { ticket, disarm });
    argsLength += ticket.argsLength;
  };

  return {
    watch: (ticket) => arm(ticket, ticket.expiresAtMs - clock.epochMs()),
    unwatch,
    argsLength: () => argsLength,
    tickets: () => [...watched.values()].map(({ ticket }) => ticket),
    close() {
      isClosed = true;
      for (const id of [...watched.keys()]) unwatch(id);
    },
  };
}
