// Items that wait for a person and that no server reports itself: approvals, questions of tasks, sampling requests, the lock.
import type { LockNeeds, ShownSamplingTicket, TaskRecord } from '@portico/contracts';
import type { Ticket } from '../approvals/state.js';

/** Items that wait for a person, as the service lists them: the newest first. */
export interface Waiting {
  readonly tickets: readonly Ticket[];
  /** With those that are not in `tickets`. */
  readonly ticketCount: number;
  readonly questions: readonly TaskRecord[];
  readonly requests: readonly ShownSamplingTicket[];
  /** Absent if the token may not read the lock. */
  readonly lock?: LockNeeds;
}
