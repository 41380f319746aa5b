// Replays that come together are counted together: one write for all of them.
import type { Kysely } from 'kysely';
import type { Tables } from './tables.js';
import type { WriteQueue } from './write-queue.js';

export interface ReplayCounts {
  /** Resolves when it is written. */
  count(scope: string, key: string): Promise<void>;
}

/** Adds a number of replays to a record, in a transaction. */
export type AddReplays = (trx: Kysely<Tables>, counted: Counted) => unknown;

export interface Counted {
  readonly scope: string;
  readonly key: string;
  replays: number;
}

/** @param addAtOnce the same for a database whose statements run at once */
export function createReplayCounts(
  write: WriteQueue['write'],
  add: AddReplays,
  addAtOnce?: (counted: Counted) => unknown,
): ReplayCounts {
  let waiting = new Map<string, Counted>();
  let written: Promise<void> | undefined;

  const writeAll = () => {
    let taken: readonly Counted[] | undefined;
    const addAll =
      addAtOnce &&
      (() => {
        taken ??= take();
        for (const counted of taken) addAtOnce(counted);
      });
    const writing = write(
      async (trx) => {
        taken ??= take(); // what has come while the write waited for its turn; the same when it runs again
        for (const counted of taken) await add(trx, counted);
      },
      { isLazy: true, atOnce: addAll }, // the answer itself is on disk already, and no repeat waits for the disk because of a count
    );
    writing.catch(() => taken ?? take()); // it was not begun: later replays are another write
    return writing;
  };
  const take = () => {
    // In one order everywhere: transactions that change the same rows do not wait for each other in a circle.
    const taken = [...waiting].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, counted]) => counted);
    waiting = new Map();
    written = undefined;
    return taken;
  };

  return {
    count(scope, key) {
      const id = JSON.stringify([scope, key]);
      const known = waiting.get(id);
      if (known === undefined) waiting.set(id, { scope, key, replays: 1 });
      else known.replays += 1;
      written ??= writeAll();
      return written;
    },
  };
}
