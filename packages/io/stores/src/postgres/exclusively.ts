// Mutual exclusion by name over all processes that share a database: an advisory lock on the connection of the
// process's lease, so that it ends with the process, and uses no connection of the pool.
import { setTimeout } from 'node:timers/promises';
import { createKeyedMutex, type KeyedMutex } from '@portico/async';
import type { Ask } from './presence.js';

/** Longer than what is done under a lock may take. */
const patienceMs = 30_000;
const betweenTriesMs = 100;

/** The lock is of a session, which may take it twice: within this process a mutex excludes the others. */
export function createExclusively(ask: Ask): KeyedMutex {
  const mutex = createKeyedMutex();
  return (name, work) =>
    mutex(name, async () => {
      await take(ask, name);
      try {
        return await work();
      } finally {
        await ask(`select pg_advisory_unlock(${keyOf})`, [name]).catch(() => {}); // it ends with the connection then
      }
    });
}

/** A schema has locks of its own. */
const keyOf = `hashtextextended(current_schema() || ' ' || $1, 0)`;

/** Where the answer stays away the server may have given the lock: `ask` ends the connection, and with it the lock. */
async function take(ask: Ask, name: string): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  while (performance.now() < untilMs) {
    const [row] = await ask(`select pg_try_advisory_lock(${keyOf}) as taken`, [name]);
    if (row?.taken === true) return;
    await setTimeout(betweenTriesMs);
  }
  throw new Error(`another daemon has been at it for ${patienceMs} ms; try again`);
}
