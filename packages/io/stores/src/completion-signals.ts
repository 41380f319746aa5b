// Waiting for executions that other daemons run: who waits says so in the row, and who ends it wakes those.

import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { toAbortSignal } from '@portico/async';
import type { Ledger } from '@portico/idempotency';
import type { Kysely } from 'kysely';
import type { StateDatabase } from './database.js';
import { isAlive } from './owners.js';
import type { Tables } from './tables.js';

/** A daemon may go without a word. */
const lookAgainMs = 2000;

/** The subject of the signal that an execution under a key has ended. */
export function completionOf(scope: string, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([scope, key]))
    .digest('hex');
}

export function createCompletionSignals({ reads, write, signals }: StateDatabase): Ledger['untilEnded'] {
  const completions = new EventEmitter().setMaxListeners(0);
  signals.on('execution', (completion) => {
    for (const completed of completion === undefined ? completions.eventNames() : [completion])
      completions.emit(completed);
  });

  /** Whether it is still under way; once this has been answered, who ends it says so. */
  const announce = async (scope: string, key: string): Promise<boolean> => {
    const open = (db: Kysely<Tables>) =>
      db
        .selectFrom('executions')
        .select(['owner', 'is_awaited'])
        .where('scope', '=', scope)
        .where('key', '=', key)
        .where('completed_at_ms', 'is', null)
        .executeTakeFirst();
    let row = await open(reads);
    if (row?.is_awaited === 0) {
      row = await write(async (trx) => {
        const own = trx
          .updateTable('executions')
          .set({ is_awaited: 1 })
          .where('scope', '=', scope)
          .where('key', '=', key);
        await own.where('completed_at_ms', 'is', null).execute();
        return open(trx);
      });
    }
    return row !== undefined && isAlive(reads, row.owner);
  };

  return async (scope, key, signal) => {
    const caller = toAbortSignal(signal);
    for (let isUnderWay = true; isUnderWay; ) {
      signal.throwIfAborted();
      const over = new AbortController();
      const until = { signal: AbortSignal.any([caller, over.signal]) };
      const completed = once(completions, completionOf(scope, key), until); // first, so that nothing ends unheard
      const woken = Promise.race([completed, setTimeout(lookAgainMs, undefined, until)]).catch(() => {});
      try {
        isUnderWay = await announce(scope, key).catch(() => true); // a store that fails says nothing of the execution
        if (isUnderWay) await woken;
      } finally {
        over.abort();
      }
    }
  };
}
