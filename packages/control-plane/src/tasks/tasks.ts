// Calls that go on without their callers: made when a caller prefers it or an upstream makes a task of a call, looked
// at as often as anybody likes, answered when they ask, and cancelled.
import { errorEnvelope, type JsonObject, type TaskRecord } from '@portico/contracts';
import { OperationCancelled } from '../operations.js';
import type { PlaneState } from '../plane-state.js';
import type { Log } from '../ports.js';
import { unrecorded } from '../steps/dedupe.js';
import { unknownRetry } from './end-of-task.js';
import { createTaskStart, type RunCall, type TaskStartDeps } from './start-task.js';
import type { Task, TaskStatus } from './task.js';
import { createTaskRuns, type TaskRun } from './task-runs.js';
import type { TaskStore } from './task-store.js';
import { toTaskRecord } from './wire.js';

export interface TasksDeps extends TaskStartDeps {
  readonly store: TaskStore;
  readonly log: Log;
  readonly state: () => PlaneState;
  /** Ends a call that waits at its upstream for answers. */
  readonly unpark: (requestState: string) => void;
}

export interface TaskListQuery {
  readonly principal: string;
  readonly status?: TaskStatus;
  readonly limit: number;
  readonly offset: number;
}

export type TaskAnswer =
  | { readonly kind: 'done'; readonly task: TaskRecord }
  /** It is not in a state to take this. */
  | { readonly kind: 'conflict'; readonly task: TaskRecord }
  | { readonly kind: 'unknown' };

export interface Tasks {
  /** Ends what an earlier run of the service left: nobody knows what became of it. */
  start(): Promise<void>;
  /** Runs a call, which becomes a task where its upstream makes one of it, or once it is sent where that is preferred. */
  readonly run: RunCall;
  get(principal: string, id: string): Promise<TaskRecord | undefined>;
  list(query: TaskListQuery): Promise<{ readonly tasks: readonly TaskRecord[]; readonly total: number }>;
  /** Hands in answers to what a task asks. */
  respond(principal: string, id: string, responses: JsonObject): Promise<TaskAnswer>;
  cancel(principal: string, id: string): Promise<TaskAnswer>;
  /** Cancels a principal's tasks that wait for answers under a request id, and notes that others are. Whether any waited. */
  cancelWaiting(principal: string, requestId: string): Promise<boolean>;
  /** Waits until what has ended is kept. */
  close(): Promise<void>;
}

export function createTasks(on: TasksDeps): Tasks {
  const { store, clock, log, state, execute } = on;
  const runs = createTaskRuns(on);
  const show = (task: Task) => toTaskRecord(state(), task);

  const stored = async (principal: string, id: string): Promise<Task | undefined> => {
    const task = await store.get(id);
    return task?.principal === principal ? task : undefined;
  };

  const notRunning = async (principal: string, id: string): Promise<TaskAnswer> => {
    const task = await stored(principal, id);
    return task === undefined ? { kind: 'unknown' } : { kind: 'conflict', task: show(task) };
  };

  const cancelRun = async (run: TaskRun): Promise<Task> => {
    run.isCancelled = true;
    const reason = new OperationCancelled('the task was cancelled');
    if (run.task.status === 'input_required') {
      if (run.requestState !== undefined) on.unpark(run.requestState);
      const failure = { code: 'OPERATION_CANCELLED', message: reason.message } as const;
      return runs.end(run, errorEnvelope(run.call.correlation, unknownRetry, failure));
    }
    run.abort.abort(reason);
    await run.settled;
    return run.task;
  };

  return {
    async start() {
      for (const { id, requestId, traceId } of await store.unfinished()) {
        const result = JSON.stringify(unrecorded({ requestId, traceId }, unknownRetry));
        const statusMessage = 'the service ended while it ran';
        const change = {
          status: 'failed',
          statusMessage,
          inputRequests: null,
          updatedAtMs: clock.epochMs(),
          result,
        } as const;
        await store.change(id, change);
      }
    },
    run: createTaskStart(on, runs, show),
    async get(principal, id) {
      const task = runs.get(principal, id)?.task ?? (await stored(principal, id));
      return task && show(task);
    },
    async list(query) {
      const { tasks, total } = await store.list(query);
      return { tasks: tasks.map((task) => withoutResult(show(task))), total };
    },
    async respond(principal, id, responses) {
      const run = runs.get(principal, id);
      if (run === undefined) return notRunning(principal, id);
      if (run.task.status !== 'input_required') return { kind: 'conflict', task: show(run.task) };
      const { requestState } = run;
      const before = run.task;
      await runs.change(run, { status: 'working', inputRequests: null }).catch((error: unknown) => {
        run.task = before; // it can be answered again
        throw error;
      });
      const task = { signal: run.abort.signal, isPreferred: true, become() {} };
      const turn = { ...(requestState === undefined ? {} : { requestState }), inputResponses: responses };
      runs.follow(run, execute({ ...run.call, ...turn, task }));
      return { kind: 'done', task: show(run.task) };
    },
    async cancel(principal, id) {
      const run = runs.get(principal, id);
      return run === undefined ? notRunning(principal, id) : { kind: 'done', task: show(await cancelRun(run)) };
    },
    async cancelWaiting(principal, requestId) {
      runs.noteCancelled(principal, requestId);
      const waiting = runs.waiting(principal, requestId);
      await Promise.all(waiting.map(cancelRun));
      return waiting.length > 0;
    },
    async close() {
      await runs.settled().catch((error: unknown) => log('error', 'the end of a task could not be kept', { error }));
    },
  };
}

function withoutResult({ result: _, ...task }: TaskRecord): TaskRecord {
  return task;
}
