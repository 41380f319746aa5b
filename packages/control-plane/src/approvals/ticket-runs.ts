// The calls of approved tickets that run in this process, each once.
import { type AbortSignalLike, AbortSource } from '@portico/async';
import type { Clock } from '@portico/upstream-pool';
import { OperationCancelled, ServiceStopping } from '../call/operations.js';
import type { Log } from '../common/log.js';
import { traceFields } from '../observability/tracing/trace-context.js';
import { type Ticket, type TicketRef, toRef } from './ticket.js';
import type { TicketStore } from './ticket-store.js';

/**
 * Runs the call of an approved ticket, and returns the JSON text of its envelope; undefined if another process has run
 * it, or the service stops before it began. The signal's reason distinguishes a cancel from the end of the service.
 * Rejects only on a defect.
 */
export type RunCall = (ticket: Ticket, signal: AbortSignalLike) => Promise<string | typeof withheld | undefined>;

/** Nothing was sent, since the definition is not the one that was approved. */
export const withheld = Symbol('withheld');

export interface TicketRuns {
  /** Begins a run once `notified` has resolved, unless the ticket has one. It is found by a cancel from now on. */
  begin(ticket: Ticket, notified?: Promise<void>): void;
  has(id: string): boolean;
  /** Keeps what has not begun from beginning. Whether there was anything that is meant. */
  cancel(isMeant: (ticket: TicketRef) => boolean): boolean;
  /** The tickets whose calls run. */
  tickets(): readonly TicketRef[];
  /** Lets nothing begin any more, and waits for what runs. */
  close(): Promise<void>;
}

const retryMs = 1000;

interface Run {
  readonly ticket: TicketRef;
  readonly control: AbortController;
  readonly over: Promise<void>;
}

export interface RunEnds {
  /** A run has ended, with its result kept or not, and is not found any more. */
  readonly onOver: (id: string) => void;
  /** Called before that where its call was withheld. */
  readonly onWithheld: (ticket: Ticket) => Promise<void>;
}

export function createTicketRuns(
  store: TicketStore,
  runCall: RunCall,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  { onOver, onWithheld }: RunEnds,
): TicketRuns {
  const runs = new Map<string, Run>();
  const closing = new AbortSource(); // any number wait for it
  let isClosed = false;
  const stop = ({ control }: Pick<Run, 'control'>) => control.abort(new ServiceStopping('the service is stopping'));

  /** A result is not given up while the service runs: the call has been made. */
  const keep = async ({ id, correlation }: Ticket, result: string): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await store.finishRun(id, result);
      } catch (error) {
        const fields = { ...traceFields(correlation), approval_id: id, error };
        if (tries === 1) log('error', 'a result could not be kept; it is tried again', fields);
        if (isClosed) return;
      }
      await clock.sleep(retryMs, closing).catch(() => {});
    }
  };

  return {
    begin(ticket, notified = Promise.resolve()) {
      if (runs.has(ticket.id)) return;
      const control = new AbortController();
      if (isClosed) stop({ control });
      const over = notified
        .then(() => runCall(ticket, control.signal))
        .then(async (ended) => {
          if (ended === undefined) return;
          if (ended !== withheld) return await keep(ticket, ended);
          runs.delete(ticket.id); // before it can be approved, and begin, again
          await onWithheld(ticket);
        })
        .catch((error: unknown) =>
          log('error', 'an approved call failed from a defect', {
            ...traceFields(ticket.correlation),
            approval_id: ticket.id,
            error,
          }),
        )
        .finally(() => {
          if (runs.get(ticket.id)?.control === control) runs.delete(ticket.id);
          onOver(ticket.id);
        });
      runs.set(ticket.id, { ticket: toRef(ticket), control, over });
    },
    has: (id) => runs.has(id),
    tickets: () => [...runs.values()].map(({ ticket }) => ticket),
    cancel(isMeant) {
      const meant = [...runs.values()].filter(({ ticket }) => isMeant(ticket));
      for (const { control } of meant) control.abort(new OperationCancelled('the operation was cancelled'));
      return meant.length > 0;
    },
    async close() {
      isClosed = true;
      closing.abort(undefined);
      const under = [...runs.values()];
      under.forEach(stop);
      await Promise.all(under.map(({ over }) => over));
    },
  };
}
