// The log of configuration changes in a database: one at a time over all daemons, kept until every file has it.
import type { Config } from '@portico/contracts';
import {
  type ConfigurationLog,
  createMemoryConfigSource,
  type ExclusiveLog,
  openSharedConfigSource,
} from '@portico/control-plane';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createConfigurationLog } from '../configuration-log.js';
import type { StateDatabase } from '../database.js';
import { createPostgresDatabases, noLog, startLimitMs } from '../testing/postgres-databases.js';

const postgres = createPostgresDatabases();

beforeAll(postgres.start, startLimitMs);
afterEach(() => postgres.closeAll());
afterAll(() => postgres.close());

const editsOf = (value: number) => [{ path: ['policy', 'x'], value }];
const outline = { policy: { x: 'sha256:0' } };
const hour = 60 * 60 * 1000;

/** Two daemons, with logs as any file sees it. */
async function openTwo() {
  const url = await postgres.create();
  const clock = { now: 1_000_000 };
  const [a, b] = [await postgres.open(url), await postgres.open(url)];
  const logOf = (database: StateDatabase, file: string) =>
    createConfigurationLog(database, { file, epochMs: () => clock.now });
  return { a, b, logOf, clock, logs: [logOf(a, 'a'), logOf(b, 'b')] as const };
}

const look = (log: ConfigurationLog) => log.exclusively(async (held) => held);
const join = (log: ConfigurationLog) =>
  log.exclusively(({ newest, settle }: ExclusiveLog) => settle({ seq: newest, outline }));
const change = (log: ConfigurationLog, value: number) =>
  log.exclusively(async ({ append, settle }) => {
    const seq = await append(editsOf(value));
    await settle({ seq, outline });
    return seq;
  });

it('keeps a change until every file has it, and how far each has come', async () => {
  const { logs } = await openTwo();
  const [a, b] = logs;
  expect(await look(a)).toMatchObject({ standing: undefined, missed: [], newest: 0, other: undefined });
  await Promise.all([join(a), join(b)]);
  expect((await look(a)).other).toEqual(outline);
  const seq = await change(a, 1);
  expect(await look(a)).toMatchObject({ standing: { seq, outline }, missed: [], newest: seq, other: undefined });
  expect(await look(b)).toMatchObject({ standing: { seq: 0 }, missed: [{ seq, edits: editsOf(1) }] });
  await join(b);
  expect(await look(b)).toMatchObject({ standing: { seq }, missed: [], newest: seq });
  expect([await a.newest(), await b.newest()]).toEqual([seq, seq]);
  await change(b, 2);
  expect((await look(a)).missed).toEqual([{ seq: seq + 1, edits: editsOf(2) }]);
});

it('keeps what removes a field', async () => {
  const { logs } = await openTwo();
  await Promise.all(logs.map(join));
  await logs[0].exclusively(({ append }) => append([{ path: ['rbac'], value: undefined }]));
  expect((await look(logs[1])).missed[0]?.edits).toEqual([{ path: ['rbac'] }]);
});

it('lets one change after the other, each on top of what is there', async () => {
  const { logs } = await openTwo();
  await Promise.all(logs.map(join));
  let inside = 0;
  const newests: number[] = [];
  const work = Array.from({ length: 10 }, (_, index) =>
    logs[index % 2 === 0 ? 0 : 1].exclusively(async ({ newest, append }) => {
      inside += 1;
      expect(inside).toBe(1);
      newests.push(newest);
      await append(editsOf(index));
      inside -= 1;
    }),
  );
  await Promise.all(work);
  expect(newests).toEqual(newests.toSorted((x, y) => x - y));
  expect(new Set(newests).size).toBe(10);
});

it('stores and sends nothing of a change that fails, and everything of one that does not', async () => {
  const { logs } = await openTwo();
  const [a, b] = logs;
  await Promise.all(logs.map(join));
  const received: string[] = [];
  a.follow((seq) => received.push(`a ${seq}`));
  const end = b.follow((seq) => received.push(`b ${seq}`));
  const failure = new Error('no');
  const failing = a.exclusively(async ({ append }) => {
    await append(editsOf(1));
    throw failure;
  });
  await expect(failing).rejects.toBe(failure);
  expect((await look(b)).missed).toEqual([]);
  const seq = await change(a, 2);
  await expect.poll(() => received.toSorted()).toEqual([`a ${seq}`, `b ${seq}`]);
  end();
});

it('runs the work only once, since it writes a file', async () => {
  const { logs } = await openTwo();
  let times = 0;
  const crossed = logs[0].exclusively(async () => {
    times += 1;
    throw Object.assign(new Error('crossed'), { code: '40P01' });
  });
  await expect(crossed).rejects.toThrow('crossed');
  expect(times).toBe(1);
});

it('has a change after all whose connection ends when it is in the file', async () => {
  const { logs, a, b } = await openTwo();
  const file = createMemoryConfigSource({}, () => ({}) as Config);
  let isEnding = false;
  const change: typeof file.change = async (edit) => {
    const changed = await file.change(edit);
    if (isEnding)
      await sql`select pg_terminate_backend(pid) from pg_locks where mode = 'ShareRowExclusiveLock'`.execute(b.reads);
    isEnding = false;
    return changed;
  };
  let goOn = () => {};
  const paused = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const clock = { sleep: () => paused };
  const shared = await openSharedConfigSource({ source: { ...file, change }, changes: logs[0], clock, log: noLog });
  const unwatch = shared.watch(async () => void (await shared.load()));
  await join(logs[1]);
  isEnding = true;
  await expect(shared.change(() => editsOf(1))).rejects.toThrow('the file has the change');
  expect([await a.reads.selectFrom('configuration_changes').selectAll().execute(), shared.current().file]).toEqual([
    [],
    {},
  ]);
  goOn();
  await expect.poll(() => shared.current().file).toEqual({ policy: { x: 1 } });
  expect((await look(logs[1])).missed).toMatchObject([{ edits: editsOf(1) }]);
  unwatch();
});

it('gives up what is thirty days old, and who has not had it counts as new', async () => {
  const { logs, clock, logOf, a } = await openTwo();
  await Promise.all(logs.map(join));
  const old = await change(logs[0], 1);
  clock.now += 30 * 24 * hour;
  const later = await change(logs[0], 2);
  expect((await look(logs[1])).missed).toHaveLength(2);
  clock.now += hour;
  await look(logs[0]);
  expect(await look(logs[1])).toMatchObject({ standing: undefined, missed: [], newest: later });
  expect(later).toBeGreaterThan(old);
  await join(logOf(a, 'c'));
  expect(await look(logOf(a, 'c'))).toMatchObject({ standing: { seq: later } });
});
