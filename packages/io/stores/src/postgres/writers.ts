// Writes on PostgreSQL: each a transaction of its own, some at a time, so that none waits for the statements of others; the
// server waits for the disk once for those that commit together. One that another has crossed runs again, if it may.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { codeOf } from '../files.js';
import type { Tables } from '../tables.js';
import type { Write, WriteOptions, WriteQueue } from '../write-queue.js';

/** Connections of the pool that writes use at once, at most. */
const maxAtOnce = 8;
const maxTries = 6;
/**
 * Delay before the second try; each later one waits this much longer. PostgreSQL does not hand a row over: a
 * transaction that runs again at once may lock the row before the one that waited for it has woken, and deadlock with
 * it again.
 */
const retryDelayMs = 25;
/** Two transactions that wait for each other, or one that another has overtaken: the server ends one of them. */
const crossed = new Set(['40P01', '40001']);

export function createWriters(db: Kysely<Tables>): WriteQueue {
  const waiting: (() => void)[] = [];
  const running = new Set<Promise<unknown>>();
  const lastOf = new Map<string, Promise<unknown>>();
  let atWork = 0;

  const acquire = async (): Promise<void> => {
    if (atWork >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else atWork += 1;
  };
  const release = () => {
    const next = waiting.shift();
    if (next === undefined) atWork -= 1;
    else next();
  };

  const attempt = async <T>(write: Write<T>, isLazy: boolean | undefined): Promise<T> => {
    await acquire();
    try {
      return await db.transaction().execute(async (trx) => (isLazy ? runLazily(trx, write) : write(trx)));
    } finally {
      release();
    }
  };

  const run = async <T>(write: Write<T>, { isLazy, isOnce, of }: WriteOptions): Promise<T> => {
    if (of !== undefined) await lastOf.get(of);
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(write, isLazy);
      } catch (error) {
        if (isOnce || tries === maxTries || !crossed.has(codeOf(error) ?? '')) throw error;
      }
      await sleep(retryDelayMs * (tries + Math.random())); // two of one moment do not run again at one moment
    }
  };

  /** A promise for successors: it never rejects. */
  const keep = (result: Promise<unknown>, of: string | undefined): void => {
    const ended = result
      .catch(() => {})
      .then(() => {
        running.delete(ended);
        if (of !== undefined && lastOf.get(of) === ended) lastOf.delete(of);
      });
    running.add(ended);
    if (of !== undefined) lastOf.set(of, ended);
  };

  return {
    write(write, options: WriteOptions = {}) {
      const result = run(write, options);
      keep(result, options.of);
      return result;
    },
    async drain() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

async function runLazily<T>(trx: Transaction<Tables>, write: Write<T>): Promise<T> {
  await sql`set local synchronous_commit = off`.execute(trx);
  return write(trx);
}
