// The port to where tickets are kept, and a store that lives as long as the process.
import type { TicketStatus } from '@portico/policy-engine';
import { type Ticket, type TicketDraft, type TicketRef, toRef } from './ticket.js';
import type { AskedDefinition } from './ticket-definition.js';

export type SettledStatus = Exclude<TicketStatus, { readonly status: 'pending' }>;

export interface TicketQuery {
  readonly status?: TicketStatus['status'];
  readonly principal?: string;
  readonly limit: number;
  readonly offset: number;
}

/** Everything is durable when its promise resolves. */
export interface TicketStore {
  /**
   * Opens a pending ticket. Where its key has a pending ticket of the same principal already, gives that one instead,
   * with `isNew` false.
   */
  open(draft: TicketDraft): Promise<{ readonly ticket: Ticket; readonly isNew: boolean }>;
  get(id: string): Promise<Ticket | undefined>;
  /** The newest ticket of a principal's key. */
  findByKey(principal: string, key: string): Promise<Ticket | undefined>;
  /** Newest first; `total` counts all that match. */
  list(query: TicketQuery): Promise<{ readonly tickets: readonly Ticket[]; readonly total: number }>;
  /**
   * Takes over what no process that lives has: those that are pending, and those that are approved with a run that has
   * not finished; each oldest first.
   */
  claim(): Promise<{ readonly pending: readonly TicketRef[]; readonly approved: readonly TicketRef[] }>;
  /**
   * Settles a ticket that is pending, in one step; its run is the caller's. Undefined if it is not: another decision came first.
   * @param digest of the definition that it must ask about; any where it is undefined
   */
  settle(id: string, status: SettledStatus, digest?: string | null): Promise<Ticket | undefined>;
  /** Has a pending ticket ask about another definition, unless its own is not that of the digest any more. */
  redefine(id: string, digest: string | null, definition: AskedDefinition): Promise<Ticket | undefined>;
  /** Makes an approved ticket pending again, before anything was sent. Undefined if its run has ended. */
  reopen(id: string, definition: AskedDefinition | null, expiresAtMs: number): Promise<Ticket | undefined>;
  /** Marks the run of an approved ticket as started, in one step. False if it had been already. */
  startRun(id: string): Promise<boolean>;
  /** Keeps the outcome, unless there is one already. @param result JSON text of the envelope */
  finishRun(id: string, result: string): Promise<void>;
  /**
   * Where other processes have the same tickets: calls the listener with the id of one that was settled or has run, or
   * with undefined if that may have happened to any. The returned function ends that.
   */
  readonly follow?: (listener: (id: string | undefined) => void) => () => void;
  /** Removes tickets created before a moment that are neither pending nor running, and gives their number. */
  purge(createdBeforeMs: number): Promise<number>;
}

/** Creates a store of approval tickets in memory; they end with the process. */
export function createMemoryTicketStore(): TicketStore {
  const tickets = new Map<string, Ticket>();
  let counter = 0;
  const newestFirst = () => [...tickets.values()].reverse();
  const replace = (ticket: Ticket): Ticket => {
    tickets.set(ticket.id, ticket);
    return ticket;
  };

  return {
    async open(draft) {
      const pending = newestFirst().find(
        ({ status, principal, key }) =>
          status.status === 'pending' && principal === draft.principal && key !== null && key.key === draft.key?.key,
      );
      if (pending !== undefined) return { ticket: pending, isNew: false };
      counter += 1;
      const id = `appr-${Math.floor(draft.createdAtMs / 1000)}-${counter}`;
      return { ticket: replace({ ...draft, id, status: { status: 'pending' }, run: { state: 'none' } }), isNew: true };
    },
    get: async (id) => tickets.get(id),
    findByKey: async (principal, key) =>
      newestFirst().find((ticket) => ticket.principal === principal && ticket.key?.key === key),
    async list({ status, principal, limit, offset }) {
      const matching = newestFirst().filter(
        (ticket) =>
          (status === undefined || ticket.status.status === status) &&
          (principal === undefined || ticket.principal === principal),
      );
      return { tickets: matching.slice(offset, offset + limit), total: matching.length };
    },
    async claim() {
      const open = [...tickets.values()].filter(isUnfinished);
      const isPending = ({ status }: Ticket) => status.status === 'pending';
      return {
        pending: open.filter(isPending).map(toRef),
        approved: open.filter((ticket) => !isPending(ticket)).map(toRef),
      };
    },
    async settle(id, status, digest) {
      const ticket = tickets.get(id);
      if (ticket?.status.status !== 'pending') return undefined;
      const isMeant = digest === undefined || digest === (ticket.definition?.digest ?? null);
      return isMeant ? replace({ ...ticket, status }) : undefined;
    },
    async redefine(id, digest, definition) {
      const ticket = tickets.get(id);
      if (ticket?.status.status !== 'pending' || (ticket.definition?.digest ?? null) !== digest) return undefined;
      return replace({ ...ticket, definition });
    },
    async reopen(id, definition, expiresAtMs) {
      const ticket = tickets.get(id);
      if (ticket?.status.status !== 'approved' || ticket.run.state === 'finished') return undefined;
      return replace({ ...ticket, definition, expiresAtMs, status: { status: 'pending' }, run: { state: 'none' } });
    },
    async startRun(id) {
      const ticket = tickets.get(id);
      if (ticket?.status.status !== 'approved' || ticket.run.state !== 'none') return false;
      replace({ ...ticket, run: { state: 'started' } });
      return true;
    },
    async finishRun(id, result) {
      const ticket = tickets.get(id);
      if (ticket !== undefined && ticket.run.state !== 'finished') {
        replace({ ...ticket, run: { state: 'finished', result } });
      }
    },
    async purge(createdBeforeMs) {
      const old = newestFirst().filter((ticket) => ticket.createdAtMs < createdBeforeMs && !isUnfinished(ticket));
      for (const { id } of old) tickets.delete(id);
      return old.length;
    },
  };
}

function isUnfinished({ status, run }: Ticket): boolean {
  return status.status === 'pending' || (status.status === 'approved' && run.state !== 'finished');
}
