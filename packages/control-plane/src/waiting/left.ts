// What was adopted of processes that are gone, until something has been done about it: what fails is tried again.
import type { Log } from '../common/log.js';

export interface Left<T> {
  /** Does it for these, and for those of earlier times with which it failed. Never rejects. */
  takeUp(found: readonly T[]): Promise<void>;
}

/** @param work tried again with the next `takeUp` when it rejects */
export function createLeft<T extends { readonly id: string }>(work: (item: T) => Promise<void>, log: Log): Left<T> {
  const left = new Map<string, T>();
  return {
    async takeUp(found) {
      for (const item of found) left.set(item.id, item);
      for (const item of [...left.values()]) {
        try {
          await work(item);
          left.delete(item.id);
        } catch (error) {
          log('error', 'what a process that is gone has left is not taken up yet; it is tried again', {
            id: item.id,
            error,
          });
        }
      }
    },
  };
}
