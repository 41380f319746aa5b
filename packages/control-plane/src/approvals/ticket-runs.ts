// The calls of approved tickets that run in this process, each once.
import type { Envelope } from '@portico/contracts';
import { OperationCancelled, ServiceStopping } from '../operations.js';
import type { Log } from '../ports.js';
import type { Ticket } from './ticket.js';
import type { TicketStore } from './ticket-store.js';

/**
 * Runs the call of an approved ticket; undefined where another has run it, or the service stops before it began. The
 * signal's reason tells a cancel from the end of the service. Never rejects but for a defect.
 */
export type RunCall = (ticket: Ticket, signal: AbortSignal) => Promise<Envelope | undefined>;

export interface TicketRuns {
  /** Begins a run once `told` has resolved, unless the ticket has one. It is found by a cancel from now on. */
  begin(ticket: Ticket, told?: Promise<void>): void;
  has(id: string): boolean;
  /** Keeps what has not begun from beginning. Whether there was anything that is meant. */
  cancel(isMeant: (ticket: Ticket) => boolean): boolean;
  /** Lets nothing begin any more, and waits for what runs. */
  close(): Promise<void>;
}

interface Run {
  readonly ticket: Ticket;
  readonly control: AbortController;
  readonly over: Promise<void>;
}

/** @param onOver called when a run has ended, with its result kept or not */
export function createTicketRuns(
  store: TicketStore,
  runCall: RunCall,
  log: Log,
  onOver: (id: string) => void,
): TicketRuns {
  const runs = new Map<string, Run>();
  let isClosed = false;
  const stop = ({ control }: Pick<Run, 'control'>) => control.abort(new ServiceStopping('the service is stopping'));

  return {
    begin(ticket, told = Promise.resolve()) {
      if (runs.has(ticket.id)) return;
      const control = new AbortController();
      if (isClosed) stop({ control });
      const over = told
        .then(() => runCall(ticket, control.signal))
        .then((envelope) => envelope && store.finishRun(ticket.id, JSON.stringify(envelope)))
        .catch((error: unknown) => {
          log('error', 'the result of an approved call could not be kept', { approval_id: ticket.id, error });
        })
        .finally(() => {
          runs.delete(ticket.id);
          onOver(ticket.id);
        });
      runs.set(ticket.id, { ticket, control, over });
    },
    has: (id) => runs.has(id),
    cancel(isMeant) {
      const meant = [...runs.values()].filter(({ ticket }) => isMeant(ticket));
      for (const { control } of meant) control.abort(new OperationCancelled('the operation was cancelled'));
      return meant.length > 0;
    },
    async close() {
      isClosed = true;
      const under = [...runs.values()];
      under.forEach(stop);
      await Promise.all(under.map(({ over }) => over));
    },
  };
}
