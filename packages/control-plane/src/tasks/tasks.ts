// Calls that continue without their callers: created when a caller prefers it or an upstream makes a task of a call,
// read any number of times, answered when they ask, and cancelled.
import type { JsonObject, TaskRecord } from '@portico/contracts';
import type { Caller } from '../call/call.js';
import { unrecorded } from '../call/failures.js';
import { OperationCancelled } from '../call/operations.js';
import type { Log } from '../common/log.js';
import { checkAnswers } from '../interaction/check-answers.js';
import { questionsIn } from '../interaction/input-requests.js';
import type { PeerCommands } from '../peers/peer-commands.js';
import type { TaskAnswer } from '../peers/task-answer.js';
import type { PlaneState } from '../state/plane-state.js';
import { createRecovery } from '../waiting/recovery.js';
import { unknownRetry } from './end-of-task.js';
import { createTaskStart, type RunCall, type TaskStartDeps } from './start-task.js';
import { isEnded, type Task, type TaskStatus } from './task.js';
import type { TaskRun } from './task-run.js';
import { createTaskRuns, type TaskRunsDeps } from './task-runs.js';
import type { TaskStore } from './task-store.js';
import { isOwnTask, pageOfSome, roleOf, seesAll } from './task-visibility.js';
import { toTaskRecord } from './wire.js';

export interface TasksDeps extends TaskStartDeps {
  readonly store: TaskStore;
  readonly log: Log;
  readonly state: () => PlaneState;
  readonly leaveWaiting: TaskRunsDeps['leaveWaiting'];
  readonly goesOn: TaskRunsDeps['goesOn'];
  readonly peerCommands: Pick<PeerCommands, 'cancelTask' | 'respondToTask'>;
}

export interface TaskListQuery {
  readonly caller: Caller;
  readonly status?: TaskStatus;
  readonly limit: number;
  readonly offset: number;
}

export interface Tasks {
  /** Ends the tasks of stopped processes: their outcome is unknown. @returns whether nothing is left to try again */
  recover(): Promise<boolean>;
  /** Runs a call, which becomes a task where its upstream makes one of it, or once it is sent where that is preferred. */
  readonly run: RunCall;
  get(caller: Caller, id: string): Promise<TaskRecord | undefined>;
  list(query: TaskListQuery): Promise<{ readonly tasks: readonly TaskRecord[]; readonly total: number }>;
  /** Hands in answers to what a task asks. @throws CallFailure INVALID_ARGS for what is no answer: the task waits on */
  respond(caller: Caller, id: string, responses: JsonObject): Promise<TaskAnswer>;
  cancel(caller: Caller, id: string): Promise<TaskAnswer>;
  /** Cancels a principal's tasks that wait for answers under a request id, and notes that others are. Whether any waited. */
  cancelWaiting(principal: string, requestId: string): Promise<boolean>;
  /** Waits until what has ended is kept. */
  close(): Promise<void>;
}

export function createTasks(on: TasksDeps): Tasks {
  const { store, clock, log, state } = on;
  const runs = createTaskRuns(on);
  const show = (task: Task, caller: Caller) => toTaskRecord(state(), task, roleOf(caller));

  /** The task as it is now, which is what the store has as soon as that can be written. */
  const find = async (
    caller: Caller,
    id: string,
  ): Promise<{ readonly task: Task; readonly run?: TaskRun } | undefined> => {
    const run = runs.get(id);
    const task = run?.task ?? (await store.get(id));
    if (task === undefined || !isOwnTask(state(), caller, task)) return undefined;
    return run === undefined || isEnded(task) ? { task } : { task, run };
  };

  const recovery = createRecovery<Task>(async ({ id, requestId, traceId }) => {
    const result = JSON.stringify(unrecorded({ requestId, traceId }, unknownRetry));
    const end = { status: 'failed', statusMessage: 'the service ended while it ran' } as const;
    await store.change(id, { ...end, inputRequests: null, updatedAtMs: clock.epochMs(), result });
  }, log);

  const cancelRun = async (run: TaskRun): Promise<Task> => {
    run.isCancelled = true;
    const message = 'the task was cancelled';
    if (run.task.status === 'input_required') return runs.giveUp(run, message);
    run.abort.abort(new OperationCancelled(message));
    await run.settled;
    return run.task;
  };

  return {
    recover: async () => recovery.recover(await store.claim()),
    run: createTaskStart(on, runs, show),
    async get(caller, id) {
      const found = await find(caller, id);
      return found && show(found.task, caller);
    },
    async list({ caller, limit, offset, ...query }) {
      const shown = (tasks: readonly Task[]) => tasks.map((task) => withoutResult(show(task, caller)));
      const read = (part: { readonly limit: number; readonly offset: number }) =>
        store.list({ ...query, ...part, principal: caller.principal });
      if (seesAll(caller)) {
        const { tasks, total } = await read({ limit, offset });
        return { tasks: shown(tasks), total };
      }
      const isOwn = (task: Task) => isOwnTask(state(), caller, task);
      const { page, total } = await pageOfSome({ limit, offset }, async (part) => (await read(part)).tasks, isOwn);
      return { tasks: shown(page), total };
    },
    async respond(caller, id, responses) {
      const found = await find(caller, id);
      if (found === undefined) return { kind: 'unknown' };
      const { run } = found;
      if (found.task.daemon !== undefined)
        return on.peerCommands.respondToTask(found.task.daemon, caller, id, responses);
      if (run?.task.status !== 'input_required') return { kind: 'conflict', task: show(found.task, caller) };
      const { task: before } = run;
      checkAnswers(questionsIn(before), responses);
      await runs.change(run, { status: 'working', inputRequests: null }).catch((error: unknown) => {
        run.task = before; // it can be answered again
        throw error;
      });
      if (isEnded(run.task)) return { kind: 'conflict', task: show(run.task, caller) }; // it was taken for cut off
      runs.goOn(run, responses);
      return { kind: 'done', task: show(run.task, caller) };
    },
    async cancel(caller, id) {
      const found = await find(caller, id);
      if (found === undefined) return { kind: 'unknown' };
      const { run, task } = found;
      if (task.daemon !== undefined) return on.peerCommands.cancelTask(task.daemon, caller, id);
      return run === undefined
        ? { kind: 'conflict', task: show(task, caller) }
        : { kind: 'done', task: show(await cancelRun(run), caller) };
    },
    async cancelWaiting(principal, requestId) {
      runs.noteCancelled(principal, requestId);
      const waiting = runs.waiting(principal, requestId);
      await Promise.all(waiting.map(cancelRun));
      return waiting.length > 0;
    },
    async close() {
      await runs.close().catch((error: unknown) => log('error', 'the end of a task could not be kept', { error }));
    },
  };
}

function withoutResult({ result: _, ...task }: TaskRecord): TaskRecord {
  return task;
}
