// The port to where sampling tickets are kept, and a store that lives as long as the process.
import {
  type SamplingDraft,
  type SamplingRef,
  type SamplingStatus,
  type SamplingTicket,
  toSamplingRef,
} from './ticket.js';

export type SettledSampling = Exclude<SamplingStatus, { readonly status: 'pending' }>;

export interface SamplingQuery {
  readonly status?: SamplingStatus['status'];
  readonly serverId?: string;
  readonly principal?: string;
  readonly limit: number;
  readonly offset: number;
}

/** Everything is durable when its promise resolves. */
export interface SamplingStore {
  /** Opens a pending ticket. */
  open(draft: SamplingDraft): Promise<SamplingTicket>;
  get(id: string): Promise<SamplingTicket | undefined>;
  /** Newest first; `total` counts all that match. */
  list(query: SamplingQuery): Promise<{ readonly tickets: readonly SamplingTicket[]; readonly total: number }>;
  /** Takes over what waits and no process that lives has, oldest first. */
  claim(): Promise<readonly SamplingRef[]>;
  /** Settles a ticket that is pending, in one step. Undefined if it is not: another answer came first. */
  settle(id: string, status: SettledSampling): Promise<SamplingTicket | undefined>;
  /** As in `TicketStore`: what was settled. */
  readonly follow?: (listener: (id: string | undefined) => void) => () => void;
  /** Removes tickets created before a moment that are not pending, and gives their number. */
  purge(createdBeforeMs: number): Promise<number>;
}

/** Creates a store of sampling requests in memory; they end with the process. */
export function createMemorySamplingStore(): SamplingStore {
  const tickets = new Map<string, SamplingTicket>();
  let counter = 0;
  const newestFirst = () => [...tickets.values()].reverse();
  const replace = (ticket: SamplingTicket): SamplingTicket => {
    tickets.set(ticket.id, ticket);
    return ticket;
  };

  return {
    async open(draft) {
      counter += 1;
      const id = `samp-${Math.floor(draft.createdAtMs / 1000)}-${counter}`;
      return replace({ ...draft, id, status: { status: 'pending' } });
    },
    get: async (id) => tickets.get(id),
    async list({ status, serverId, principal, limit, offset }) {
      const matching = newestFirst().filter(
        (ticket) =>
          (status === undefined || ticket.status.status === status) &&
          (serverId === undefined || ticket.serverId === serverId) &&
          (principal === undefined || ticket.principal === principal),
      );
      return { tickets: matching.slice(offset, offset + limit), total: matching.length };
    },
    claim: async () => [...tickets.values()].filter(isPending).map(toSamplingRef),
    async settle(id, status) {
      const ticket = tickets.get(id);
      return ticket !== undefined && isPending(ticket) ? replace({ ...ticket, status }) : undefined;
    },
    async purge(createdBeforeMs) {
      const old = newestFirst().filter((ticket) => ticket.createdAtMs < createdBeforeMs && !isPending(ticket));
      for (const { id } of old) tickets.delete(id);
      return old.length;
    },
  };
}

function isPending({ status }: SamplingTicket): boolean {
  return status.status === 'pending';
}
