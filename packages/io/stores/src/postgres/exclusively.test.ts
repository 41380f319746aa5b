// Locks over all daemons of a database, where the server is slower than a daemon waits for it.
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { StateDatabase } from '../database.js';
import { createPostgresDatabases, startLimitMs } from '../testing/postgres-databases.js';

const postgres = createPostgresDatabases();

beforeAll(postgres.start, startLimitMs);
afterEach(() => postgres.closeAll());
afterAll(() => postgres.close());

/** The server process of the connection on which the daemon that was opened first says that it lives. */
async function firstPresence({ reads }: StateDatabase): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where application_name like 'portico, process%' and datname = current_database()
    order by backend_start limit 1`.execute(reads);
  const [row] = rows;
  if (row === undefined) throw new Error('no daemon says that it lives');
  return row.pid;
}

const outcomeOf = (work: Promise<string>) => work.catch((error: unknown) => String(error));

/** Resolves when earlier statements of the same connection have finished. */
const untilAnswered = (database: StateDatabase) =>
  expect.poll(() => outcomeOf(database.exclusively('something else', async () => 'done'))).toBe('done');

/** Suspends the process until the work is over. */
async function whileStopped<T>(pid: number, work: () => Promise<T>): Promise<T> {
  process.kill(pid, 'SIGSTOP');
  try {
    return await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

it('is not kept by a daemon that did not wait for the answer to taking it', async () => {
  const url = await postgres.create();
  const [one, other] = [await postgres.open(url), await postgres.open(url)];
  const pid = await firstPresence(other);
  const outcome = await whileStopped(pid, () => outcomeOf(one.exclusively('x', async () => 'done')));
  expect(outcome).toContain('Error');
  await untilAnswered(one);
  expect(await other.exclusively('x', async () => 'done')).toBe('done');
});

it('is not kept by a daemon that did not wait for the answer to giving it back', async () => {
  const url = await postgres.create();
  const [one, other] = [await postgres.open(url), await postgres.open(url)];
  const pid = await firstPresence(other);
  const outcome = await one.exclusively('x', async () => {
    process.kill(pid, 'SIGSTOP');
    const asked = outcomeOf(one.exclusively('y', async () => 'done')).finally(() => process.kill(pid, 'SIGCONT'));
    await setImmediate(); // giving back comes after it, and is never sent
    return { asked };
  });
  expect(await outcome.asked).toContain('Error');
  await untilAnswered(one);
  expect(await other.exclusively('x', async () => 'done')).toBe('done');
});
