// The clients that wait for a ticket: questions of its running call go to them, for any approver.
import type { CallClient } from '../call/client.js';

export interface TicketClients {
  /** Until the returned function is called. */
  add(ticketId: string, client: CallClient): () => void;
  of(ticketId: string): CallClient | undefined;
}

export function createTicketClients(): TicketClients {
  const clients = new Map<string, CallClient>();
  return {
    add(ticketId, client) {
      clients.set(ticketId, client);
      return () => {
        if (clients.get(ticketId) === client) clients.delete(ticketId);
      };
    },
    of: (ticketId) => clients.get(ticketId),
  };
}
