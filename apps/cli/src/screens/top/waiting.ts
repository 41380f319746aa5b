// What waits for a person, beside what servers say of themselves.
import type { ShownSamplingTicket, TaskRecord } from '@portico/contracts';
import type { Ticket } from '../approvals/state.js';

/** What waits for a person, as the service lists it: the newest first. */
export interface Waiting {
  readonly tickets: readonly Ticket[];
  /** With those that are not in `tickets`. */
  readonly ticketCount: number;
  readonly questions: readonly TaskRecord[];
  readonly requests: readonly ShownSamplingTicket[];
}
