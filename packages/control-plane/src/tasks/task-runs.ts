// The tasks of this run of the service that have not ended, with the calls that they are.
import { AbortSource } from '@portico/async';
import { type Envelope, envelopeText, errorEnvelope } from '@portico/contracts';
import { OperationCancelled } from '../call/operations.js';
import { endOf, unknownRetry } from './end-of-task.js';
import { keepEnd } from './keep-end.js';
import { isEnded, type Task, type TaskChange } from './task.js';
import type { TaskRun, TaskRuns } from './task-run.js';
import type { TaskStore } from './task-store.js';
import { createTaskTurns, type TaskTurnDeps } from './task-turns.js';

export interface TaskRunsDeps extends TaskTurnDeps {
  readonly store: TaskStore;
  /** Ends what waits at its upstream for the answers of a task, and leaves the record of that. Never rejects. */
  readonly leaveWaiting: (run: TaskRun) => Promise<void>;
}

export function createTaskRuns(on: TaskRunsDeps): TaskRuns {
  const { store, clock, log, leaveWaiting } = on;
  const runs = new Map<string, TaskRun>();
  const closing = new AbortSource(); // any number wait for it
  const running = () => [...runs.values()].filter(({ task }) => !isEnded(task));

  const change = async (run: TaskRun, changes: TaskChange): Promise<void> => {
    if (run.task.status === 'input_required') run.cancelTimer();
    const full = { ...changes, updatedAtMs: clock.epochMs() };
    run.task = { ...run.task, ...full }; // at once, so that only one answer counts
    if (isEnded(run.task)) leaveOnce(run);
    const kept = await store.change(run.task.id, full);
    if (kept === undefined && (await isEndedElsewhere(store, run))) runs.delete(run.task.id);
  };

  const end = async (run: TaskRun, envelope: Envelope, dataText?: string): Promise<Task> => {
    const result = envelopeText(envelope, dataText);
    const ended = { ...endOf(envelope, run.isCancelled), inputRequests: null, result };
    try {
      await change(run, ended);
      runs.delete(run.task.id);
    } catch (error) {
      log('warn', 'the end of a task is not kept yet', { task_id: run.task.id, error });
      const { id, updatedAtMs } = run.task;
      const kept = keepEnd({ store, clock, log }, id, { ...ended, updatedAtMs }, closing);
      run.kept = kept.then((isKept) => void (isKept && runs.delete(id))); // shown as it ended, from memory, until it is stored
    }
    return run.task;
  };

  const giveUp = async (run: TaskRun, message: string): Promise<Task> => {
    const failure = { code: 'OPERATION_CANCELLED', message } as const;
    const task = await end(run, errorEnvelope(run.call.correlation, unknownRetry, failure));
    await leaveWaiting(run);
    return task;
  };

  return {
    async begin(task, call, abort, leave) {
      const run: TaskRun = {
        task,
        call,
        abort,
        requestState: undefined,
        cancelTimer: () => {},
        isCancelled: false,
        settled: Promise.resolve(),
        kept: Promise.resolve(),
        leave,
      };
      runs.set(task.id, run);
      try {
        await store.add(task);
      } catch (error) {
        runs.delete(task.id);
        leaveOnce(run);
        throw error;
      }
      return run;
    },
    ...createTaskTurns(on, { change, end, giveUp }),
    change,
    end,
    giveUp,
    get: (id) => runs.get(id),
    withKey: (principal, key) =>
      key === null ? undefined : running().find(({ task }) => task.principal === principal && task.key === key),
    noteCancelled(principal, requestId) {
      for (const run of runs.values()) {
        if (run.task.principal === principal && run.task.requestId === requestId) run.isCancelled = true;
      }
    },
    waiting: (principal, requestId) =>
      [...runs.values()].filter(
        ({ task }) => task.principal === principal && task.requestId === requestId && task.status === 'input_required',
      ),
    async close() {
      await Promise.all([...runs.values()].map(({ settled }) => settled));
      closing.abort(undefined);
      await Promise.all([...runs.values()].map(({ kept }) => kept));
    },
  };
}

function leaveOnce(run: TaskRun): void {
  run.leave();
  run.leave = () => {};
}

/** This process was taken for gone, and another has ended the task: what is kept is what counts. */
async function isEndedElsewhere(store: TaskStore, run: TaskRun): Promise<boolean> {
  const ended = await store.get(run.task.id);
  if (ended === undefined || ended.result === run.task.result) return false;
  run.task = ended;
  leaveOnce(run);
  run.abort.abort(new OperationCancelled('the task was ended by another daemon'));
  return true;
}
