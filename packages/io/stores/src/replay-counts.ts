// Replays that are counted together: to wait for the disk with each would take longer than to answer it. A crash loses
// those of the last second.
import type { Ledger, OnUncounted } from '@portico/idempotency';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.js';
import type { WriteQueue } from './write-queue.js';

/** How long a replay waits for others to be written with. */
const gatherMs = 1000;

export interface ReplayCounts {
  readonly count: Ledger['countReplay'];
  /** Whether replays of the key wait to be written. */
  has(scope: string, key: string): boolean;
  /** Resolves when what was counted so far is written, or could not be. */
  flush(): Promise<void>;
}

/** Adds a number of replays to a record, in a transaction. */
export type AddReplays = (
  trx: Kysely<Tables>,
  values: { readonly scope: string; readonly key: string; readonly replays: number },
) => unknown;

interface Counted {
  readonly scope: string;
  readonly key: string;
  replays: number;
}

/** @param atClose runs a work before the database finishes its last writes */
export function createReplayCounts(
  write: WriteQueue['write'],
  add: AddReplays,
  atClose: (work: () => Promise<void>) => void,
): ReplayCounts {
  let counted = new Map<string, Map<string, Counted>>(); // by scope, then by key
  let onUncounted: OnUncounted = () => {};
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const writeAll = async (): Promise<void> => {
    const all = [...counted.values()].flatMap((keys) => [...keys.values()]);
    counted = new Map();
    if (all.length === 0) return;
    try {
      // The answers themselves are on disk already, and no repeat waits for the disk to be told of it.
      await write(
        async (trx) => {
          for (const one of all) await add(trx, one);
        },
        { isLazy: true },
      );
    } catch (error) {
      onUncounted(
        error,
        all.reduce((sum, { replays }) => sum + replays, 0),
      );
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = Promise.all([writing, writeAll()]).then(() => {});
    return writing;
  };
  atClose(flush);

  return {
    count(scope, key, tell) {
      onUncounted = tell;
      timer ??= setTimeout(flush, gatherMs).unref();
      const keys = counted.get(scope) ?? new Map<string, Counted>();
      const known = keys.get(key);
      if (known === undefined) keys.set(key, { scope, key, replays: 1 });
      else known.replays += 1;
      counted.set(scope, keys);
    },
    has: (scope, key) => counted.get(scope)?.has(key) === true,
    flush,
  };
}
