// Tries again to keep how a task ended, after its store has failed.
import type { AbortSignalLike } from '@portico/async';
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../common/log.js';
import type { TaskChange } from './task.js';
import type { TaskStore } from './task-store.js';

export interface KeepDeps {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** Before each try. */
export const retryDelaysMs: readonly number[] = [100, 1000, 5000, 15_000, 60_000];

/** Whether it was kept in the end. Never rejects. @param closing when it aborts, the next try is at once, and the last */
export async function keepEnd(
  { store, clock, log }: KeepDeps,
  id: string,
  ended: TaskChange,
  closing: AbortSignalLike,
): Promise<boolean> {
  for (const [index, delayMs] of retryDelaysMs.entries()) {
    await clock.sleep(delayMs, closing).catch(() => {});
    const isLast = closing.aborted || index === retryDelaysMs.length - 1;
    try {
      await store.change(id, ended);
      return true;
    } catch (error) {
      if (!isLast) continue;
      log('error', 'the end of a task could not be kept', { task_id: id, error });
      return false;
    }
  }
  return false;
}
