// The turns of a task: the outcome of each, and the next one, with answers of its caller or once others have answered.
import { isJsonObject, isQuestion, type JsonObject, type JsonValue } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { Call, Outcome } from '../call/call.js';
import type { Log } from '../common/log.js';
import { parkedMs } from '../interaction/parked-calls.js';
import { isEnded } from './task.js';
import type { TaskRun, TaskRuns } from './task-run.js';

export interface TaskTurnDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** As in `ParkedCalls`. */
  readonly goesOn: (requestState: string) => Promise<boolean> | undefined;
  readonly execute: (call: Call) => Promise<Outcome>;
}

export function createTaskTurns(
  { clock, log, goesOn, execute }: TaskTurnDeps,
  { change, end, giveUp }: Pick<TaskRuns, 'change' | 'end' | 'giveUp'>,
): Pick<TaskRuns, 'follow' | 'goOn'> {
  const settle = async (run: TaskRun, { envelope, dataText }: Outcome): Promise<void> => {
    if (!envelope.ok || !isQuestion(envelope.data)) return void (await end(run, envelope, dataText));
    run.requestState = stateIn(envelope.data);
    run.cancelTimer = clock.after(parkedMs, () => {
      if (run.task.status !== 'input_required') return;
      run.settled = giveUp(run, `no caller answered within ${parkedMs / 1000} s`).then(() => {});
    });
    await change(run, { status: 'input_required', inputRequests: questionsIn(envelope.data) });
    void followAnswers(run, run.requestState);
  };

  /** Its questions may be answered elsewhere: by a ticket, or by the sampling provider. */
  const followAnswers = async (run: TaskRun, requestState: string | undefined): Promise<void> => {
    if (requestState === undefined || (await goesOn(requestState)) !== true) return;
    if (run.task.status !== 'input_required' || run.requestState !== requestState) return;
    await change(run, { status: 'working', inputRequests: null }).catch((error: unknown) =>
      log('warn', 'that a task works again is not kept', { task_id: run.task.id, error }),
    );
    if (!isEnded(run.task)) goOn(run);
  };

  const follow: TaskRuns['follow'] = (run, outcome) => {
    run.settled = outcome
      .then((ended) => settle(run, ended))
      .catch((error: unknown) => log('error', 'the end of a task could not be kept', { task_id: run.task.id, error }));
  };

  const goOn: TaskRuns['goOn'] = (run, inputResponses) => {
    const { requestState, abort } = run;
    const turn = {
      ...(requestState === undefined ? {} : { requestState }),
      ...(inputResponses === undefined ? {} : { inputResponses }),
    };
    follow(run, execute({ ...run.call, ...turn, task: { signal: abort.signal, isPreferred: true, become() {} } }));
  };

  return { follow, goOn };
}

function stateIn(data: JsonValue): string | undefined {
  return isJsonObject(data) && typeof data.requestState === 'string' ? data.requestState : undefined;
}

function questionsIn(data: JsonValue): JsonObject {
  return isJsonObject(data) && isJsonObject(data.inputRequests) ? data.inputRequests : {};
}
