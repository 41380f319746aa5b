// A task of this run of the service that has not ended, with the call that it is, and what can be done with it. Shapes only.
import type { Envelope, JsonObject } from '@portico/contracts';
import type { Call, Outcome } from '../call/call.js';
import type { Task, TaskChange } from './task.js';

export interface TaskRun {
  task: Task;
  readonly call: Call;
  readonly abort: AbortController;
  /** State of the questions that it waits with. */
  requestState: string | undefined;
  /** Cancelled by a user. */
  isCancelled: boolean;
  /** Stops the time that its caller has to answer. */
  cancelTimer: () => void;
  /** Resolves when its last turn is over, and that is kept or tried to be. */
  settled: Promise<void>;
  /** Resolves when its end is kept, or is not tried any more. */
  kept: Promise<void>;
  /** Gives its place to others once it has ended. */
  leave: () => void;
}

export interface TaskRuns {
  /** @param leave called once, when it has ended or could not be begun */
  begin(task: Task, call: Call, abort: AbortController, leave: () => void): Promise<TaskRun>;
  /** Stores its outcome. */
  follow(run: TaskRun, outcome: Promise<Outcome>): void;
  change(run: TaskRun, change: TaskChange): Promise<void>;
  /** Takes its next turn: with the answers that were given, or without, where it was answered elsewhere. */
  goOn(run: TaskRun, inputResponses?: JsonObject): void;
  /** Ends it at once; that is kept before this resolves, or else tried again in the background. */
  end(run: TaskRun, envelope: Envelope, dataText?: string): Promise<Task>;
  /** Ends one whose answers will not come. */
  giveUp(run: TaskRun, message: string): Promise<Task>;
  get(id: string): TaskRun | undefined;
  /** The one under an idempotency key that its client gave. */
  withKey(principal: string, key: string | null): TaskRun | undefined;
  /** Operations that end now under a request id count as cancelled. */
  noteCancelled(principal: string, requestId: string): void;
  /** Tasks that wait for answers under a request id. */
  waiting(principal: string, requestId: string): readonly TaskRun[];
  /** Waits until what has ended is kept; what cannot be kept is tried once more. */
  close(): Promise<void>;
}
