// The tasks of this run of the service that have not ended, with the calls that they are.
import { type Envelope, errorEnvelope, isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { Call, Outcome } from '../call.js';
import { parkedMs } from '../interaction/parked-calls.js';
import { isQuestion } from '../interim.js';
import type { Log } from '../ports.js';
import { endOf, unknownRetry } from './end-of-task.js';
import type { Task, TaskChange } from './task.js';
import type { TaskStore } from './task-store.js';

export interface TaskRun {
  task: Task;
  readonly call: Call;
  readonly abort: AbortController;
  /** Of the questions that it waits with. */
  requestState: string | undefined;
  /** Somebody has cancelled it. */
  isCancelled: boolean;
  /** Stops the time that its caller has to answer. */
  cancelTimer: () => void;
  /** Resolves when what came of its last turn is kept. */
  settled: Promise<void>;
}

export interface TaskRuns {
  begin(task: Task, call: Call, abort: AbortController): Promise<TaskRun>;
  /** Keeps what comes of it. */
  follow(run: TaskRun, outcome: Promise<Outcome>): void;
  change(run: TaskRun, change: TaskChange): Promise<void>;
  end(run: TaskRun, envelope: Envelope): Promise<Task>;
  get(principal: string, id: string): TaskRun | undefined;
  /** The one under an idempotency key that its client gave. */
  withKey(principal: string, key: string | null): TaskRun | undefined;
  /** What ends now under a request id was cancelled. */
  noteCancelled(principal: string, requestId: string): void;
  /** Those that wait for answers under a request id. */
  waiting(principal: string, requestId: string): readonly TaskRun[];
  count(): number;
  settled(): Promise<unknown>;
}

export interface TaskRunsDeps {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly log: Log;
}

export function createTaskRuns({ store, clock, log }: TaskRunsDeps): TaskRuns {
  const runs = new Map<string, TaskRun>();

  const change = async (run: TaskRun, changes: TaskChange): Promise<void> => {
    if (run.task.status === 'input_required') run.cancelTimer();
    const full = { ...changes, updatedAtMs: clock.epochMs() };
    run.task = { ...run.task, ...full }; // at once, so that nobody answers twice
    await store.change(run.task.id, full);
  };

  const end = async (run: TaskRun, envelope: Envelope): Promise<Task> => {
    try {
      await change(run, { ...endOf(envelope, run.isCancelled), inputRequests: null, result: JSON.stringify(envelope) });
    } finally {
      runs.delete(run.task.id);
    }
    return run.task;
  };

  const settle = async (run: TaskRun, { envelope }: Outcome): Promise<void> => {
    if (!envelope.ok || !isQuestion(envelope.data)) return void (await end(run, envelope));
    run.requestState = stateIn(envelope.data);
    run.cancelTimer = clock.after(parkedMs, () => {
      if (run.task.status !== 'input_required') return;
      const failure = { code: 'OPERATION_CANCELLED', message: `nobody answered within ${parkedMs / 1000} s` } as const;
      run.settled = end(run, errorEnvelope(run.call.correlation, unknownRetry, failure)).then(
        () => {},
        (error: unknown) => log('error', 'the end of a task could not be kept', { task_id: run.task.id, error }),
      );
    });
    await change(run, { status: 'input_required', inputRequests: questionsIn(envelope.data) });
  };

  return {
    async begin(task, call, abort) {
      const run: TaskRun = {
        task,
        call,
        abort,
        requestState: undefined,
        cancelTimer: () => {},
        isCancelled: false,
        settled: Promise.resolve(),
      };
      runs.set(task.id, run);
      try {
        await store.add(task);
      } catch (error) {
        runs.delete(task.id);
        throw error;
      }
      return run;
    },
    follow(run, outcome) {
      run.settled = outcome
        .then((ended) => settle(run, ended))
        .catch((error: unknown) =>
          log('error', 'the end of a task could not be kept', { task_id: run.task.id, error }),
        );
    },
    change,
    end,
    get(principal, id) {
      const run = runs.get(id);
      return run?.task.principal === principal ? run : undefined;
    },
    withKey: (principal, key) =>
      key === null
        ? undefined
        : [...runs.values()].find(({ task }) => task.principal === principal && task.key === key),
    noteCancelled(principal, requestId) {
      for (const run of runs.values()) {
        if (run.task.principal === principal && run.task.requestId === requestId) run.isCancelled = true;
      }
    },
    waiting: (principal, requestId) =>
      [...runs.values()].filter(
        ({ task }) => task.principal === principal && task.requestId === requestId && task.status === 'input_required',
      ),
    count: () => runs.size,
    settled: () => Promise.all([...runs.values()].map(({ settled }) => settled)),
  };
}

function stateIn(data: JsonValue): string | undefined {
  return isJsonObject(data) && typeof data.requestState === 'string' ? data.requestState : undefined;
}

function questionsIn(data: JsonValue): JsonObject {
  return isJsonObject(data) && isJsonObject(data.inputRequests) ? data.inputRequests : {};
}
