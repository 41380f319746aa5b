// The tickets that are pending in this process, each with the timer that expires it.
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../common/log.js';
import type { Room } from './room.js';

/** The part of a waiting ticket that is held in memory. */
export interface Expiring {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
}

export interface Expiry<T extends Expiring> {
  /** Calls `expire` at the ticket's end. Watching it again replaces its timer. */
  watch(ticket: T): void;
  unwatch(id: string): void;
  tickets(): readonly T[];
  /** Stops every timer permanently. */
  close(): void;
}

const retryMs = 1000;

/**
 * @param expire tried again after a second when it fails
 * @param room counts what is watched
 */
export function createExpiry<T extends Expiring>(
  clock: Clock,
  log: Log,
  expire: (ticket: T) => Promise<void>,
  room: Pick<Room<T>, 'add' | 'remove'>,
): Expiry<T> {
  const watched = new Map<string, { readonly ticket: T; readonly disarm: () => void }>();
  let isClosed = false;

  const unwatch = (id: string) => {
    const found = watched.get(id);
    if (found === undefined) return;
    found.disarm();
    room.remove(found.ticket);
    watched.delete(id);
  };

  const arm = (ticket: T, inMs: number) => {
    unwatch(ticket.id);
    if (isClosed) return;
    const disarm = clock.after(Math.max(0, inMs), () => {
      expire(ticket).catch((error: unknown) => {
        log('error', 'a ticket could not be expired; it is tried again', { ticket_id: ticket.id, error });
        arm(ticket, retryMs);
      });
    });
    watched.set(ticket.id, { ticket, disarm });
    room.add(ticket);
  };

  return {
    watch: (ticket) => arm(ticket, ticket.expiresAtMs - clock.epochMs()),
    unwatch,
    tickets: () => [...watched.values()].map(({ ticket }) => ticket),
    close() {
      isClosed = true;
      for (const id of [...watched.keys()]) unwatch(id);
    },
  };
}
