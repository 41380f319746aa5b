// Recovers the claimed work of stopped processes: failures are tried again.
import type { Log } from '../common/log.js';

export interface Recovery<T> {
  /**
   * Does it for these, and for those of earlier times with which it failed. Never rejects.
   * @returns whether all of it is done; what is left is tried again by the next call
   */
  recover(found: readonly T[]): Promise<boolean>;
}

/** @param work tried again with the next `recover` when it rejects */
export function createRecovery<T extends { readonly id: string }>(
  work: (item: T) => Promise<void>,
  log: Log,
): Recovery<T> {
  const left = new Map<string, T>();
  return {
    async recover(found) {
      for (const item of found) left.set(item.id, item);
      for (const item of [...left.values()]) {
        try {
          await work(item);
          left.delete(item.id);
        } catch (error) {
          log('error', 'recovering the work of a stopped process failed; it is tried again', {
            id: item.id,
            error,
          });
        }
      }
      return left.size === 0;
    },
  };
}
