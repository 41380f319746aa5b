// Tasks that wait for a person, including logins that servers need.
import type { ShownSamplingTicket, TaskRecord } from '@portico/contracts';
import type { Ticket } from '../approvals/state.js';

/** Tasks that wait for a person, as the service lists them: the newest first. */
export interface Waiting {
  readonly tickets: readonly Ticket[];
  /** With those that are not in `tickets`. */
  readonly ticketCount: number;
  readonly questions: readonly TaskRecord[];
  readonly requests: readonly ShownSamplingTicket[];
}
