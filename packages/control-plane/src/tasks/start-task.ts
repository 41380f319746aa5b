// Runs a call that may become a task: the caller gets the first of the two, the outcome or the task.
import { createShares } from '@portico/async';
import { errorEnvelope, nothingSent, type TaskRecord } from '@portico/contracts';
import { isVisible } from '@portico/policy-engine';
import type { Clock } from '@portico/upstream-pool';
import { type Call, type Caller, CallFailure, type Outcome } from '../call/call.js';
import { keyOf } from '../call/keys.js';
import { OperationCancelled } from '../call/operations.js';
import { comparableText } from '../common/comparable-text.js';
import type { PlaneState } from '../state/plane-state.js';
import { findTarget } from '../state/target.js';
import type { KeptRoom } from '../waiting/kept-room.js';
import { shareUsedUp } from '../waiting/share-used-up.js';
import { unknownRetry } from './end-of-task.js';
import { newTask, type Task } from './task.js';
import type { TaskRuns } from './task-run.js';
import { toTaskOutcome } from './wire.js';

export interface TaskStartDeps {
  readonly clock: Clock;
  readonly room: KeptRoom;
  readonly randomHex: (characters: number) => string;
  readonly execute: (call: Call) => Promise<Outcome>;
  readonly state: () => PlaneState;
}

/** The first request once more: another one under the same key is refused where keys are compared. */
function isRepeat(call: Call, first: Call): boolean {
  const what = ({ kind, id, args, requestState, inputResponses }: Call) =>
    comparableText([kind, id, args, requestState ?? null, inputResponses ?? null]);
  return what(call) === what(first);
}

/** Inside the caller's view, and not denied. */
function isAllowed(state: PlaneState, { kind, id, caller }: Call): boolean {
  const target = findTarget(state, kind, id);
  if (target === undefined || state.view(caller)?.hasServer(target.server) !== true) return false;
  return isVisible(state.policy.decide(caller, target.names));
}

/** The result of `take`, or the refusal of a call that would be kept as a task, before anything is sent. */
function orRefusal<T>({ correlation }: Call, take: () => T): T | Outcome {
  try {
    return take();
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    return { kind: 'answered', envelope: errorEnvelope(correlation, nothingSent, error) };
  }
}

export type RunCall = (call: Call, prefersTask: boolean) => Promise<Outcome>;

export function createTaskStart(
  on: TaskStartDeps,
  runs: TaskRuns,
  show: (task: Task, caller: Caller) => TaskRecord,
): RunCall {
  const limit = () => on.state().config.limits.tasks;
  const shares = createShares(limit);

  /** @throws CallFailure INTERNAL_ERROR if the share is used up */
  const takeRoom = (call: Call): (() => void) => {
    const { principal, actor } = call.caller;
    const server = findTarget(on.state(), call.kind, call.id)?.server ?? ''; // gone since it was sent
    const holder = [principal, server];
    const refusal = shares.take(holder);
    if (refusal === undefined) return () => shares.release(holder);
    const usedUp = { ...refusal, setting: 'tasks', limit: limit() } as const;
    const share = shareUsedUp(usedUp, 'tasks that run', { principal: actor ?? principal, server });
    throw new CallFailure('INTERNAL_ERROR', `${share}; cancel some, or wait`);
  };

  /** Room for a call that is to go on as a task, of what is kept and of tasks that run. @throws CallFailure */
  const takeAhead = (call: Call): (() => void) => {
    on.room.take(call.caller.principal)(); // the task is counted once it is there
    return takeRoom(call);
  };

  /** @param taken gives back the room that was taken ahead */
  const begin = async (
    call: Call,
    abort: AbortController,
    outcome: Promise<Outcome>,
    taken: (() => void) | undefined,
  ): Promise<Outcome> => {
    try {
      const key = keyOf(call);
      const leave = taken ?? takeRoom(call);
      const task = newTask(`task-${on.randomHex(32)}`, call, key, on.clock.epochMs());
      const run = await runs.begin(task, call, abort, leave);
      runs.follow(run, outcome);
      return toTaskOutcome(on.state(), call, show(run.task, call.caller));
    } catch (error) {
      abort.abort(new OperationCancelled('it could not be kept as a task'));
      await outcome;
      if (!(error instanceof CallFailure)) throw error;
      return { kind: 'answered', envelope: errorEnvelope(call.correlation, unknownRetry, error) };
    }
  };

  return async (call, prefersTask) => {
    const same = prefersTask ? runs.withKey(call.caller.principal, call.idempotencyKey) : undefined;
    if (same !== undefined && isRepeat(call, same.call) && isAllowed(on.state(), call))
      return toTaskOutcome(on.state(), call, show(same.task, call.caller));
    // A call with a key is refused when that is written: a stored answer under it is still returned.
    const taken = prefersTask && keyOf(call) === null ? orRefusal(call, () => takeAhead(call)) : undefined;
    if (taken !== undefined && typeof taken !== 'function') return taken;
    const abort = new AbortController();
    const leave = () => abort.abort(call.signal.reason);
    if (call.signal.aborted) leave();
    call.signal.addEventListener('abort', leave, { once: true });
    let become = () => {};
    const became = new Promise<undefined>((resolve) => {
      become = () => resolve(undefined);
    });
    const outcome = on.execute({ ...call, task: { signal: abort.signal, isPreferred: prefersTask, become } });
    const first = await Promise.race([outcome, became]).catch((error: unknown) => {
      taken?.();
      throw error;
    });
    call.signal.removeEventListener('abort', leave); // the caller that made a task may leave
    if (first === undefined) return begin(call, abort, outcome, taken);
    taken?.(); // it made no task
    return first;
  };
}
