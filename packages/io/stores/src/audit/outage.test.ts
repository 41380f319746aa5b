// A log that cannot be written: who is refused, what is kept, and what the log says of it afterwards.
import { appendFile, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { AuditUnavailable } from '@portico/control-plane';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuditFileOptions } from './audit-file.js';
import { createAuditFiles, draftOf, linesIn, realClock, recordsOf } from './testing/audit-files.js';
import { chainOf, draftsOf } from './testing/chain.js';
import { createFaults } from './testing/faulty-handle.js';
import { until } from './testing/until.js';

const files = createAuditFiles();

afterEach(() => files.removeAll());

/** 50 times as fast. */
const fastClock = { ...realClock, after: (ms: number, run: () => void) => realClock.after(ms / 50, run) };

async function openFaulty(some: Partial<AuditFileOptions> = {}) {
  const { faults, openHandle } = createFaults();
  const directory = await files.createDirectory();
  const log = await files.open(directory, { openHandle, clock: fastClock, ...some });
  return { directory, log, faults, path: join(directory, 'audit.jsonl') };
}

/** Whether a promise stays pending after all work of this moment has finished. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  promise.then(
    () => {
      isSettled = true;
    },
    () => {
      isSettled = true;
    },
  );
  await setTimeout(20);
  return !isSettled;
}

describe('a full disk', () => {
  it.each([[0], [1], [100], [700]])(
    'refuses new actions, keeps what has happened, and records it afterwards (%d bytes left)',
    async (room) => {
      const { directory, log, faults } = await openFaulty();
      const action = await log.begin();
      faults.room = room;
      for (const draft of draftsOf(5)) await log.append(draft);
      await until(() => log.lines.length > 0);
      await expect(log.begin()).rejects.toThrow(AuditUnavailable);
      await expect(log.begin()).rejects.toThrow('nothing is run: ENOSPC: no space left on device');
      await expect(action.end(draftOf({ capability_id: 'ended' }))).rejects.toThrow(AuditUnavailable);
      await expect(log.append(draftOf({ capability_id: 'event' }))).rejects.toThrow(AuditUnavailable);
      expect(log.waiting()).toBe(7);
      const tries = faults.writes;
      await until(() => faults.writes > tries + 4);
      faults.room = undefined;
      await until(() => log.waiting() === 0 && log.head().seq === 8);
      const records = await recordsOf(log);
      expect(records.map(({ capability_id, event_type }) => capability_id ?? event_type)).toEqual([
        ...draftsOf(5).map(({ capability_id }) => capability_id),
        'ended',
        'event',
        'audit_gap',
      ]);
      expect(records[7]).toMatchObject({
        status: 'failed',
        details: { reason: 'unwritable', refused: 2, error: 'ENOSPC', since: expect.stringMatching(/^\d{4}-.*Z$/) },
      });
      expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 8 });
      expect(log.lines.map(({ level }) => level)).toEqual(['error', 'info']);
      await (await log.begin()).end(draftOf());
      await log.close();
      expect((await readFile(join(directory, 'audit.jsonl'), 'utf8')).split('\n')).toHaveLength(10);
    },
  );

  it('reports no gap if no action was refused', async () => {
    const { log, faults } = await openFaulty();
    faults.room = 0;
    await log.append(draftOf());
    await until(() => log.lines.length === 1);
    faults.room = undefined;
    await until(() => log.head().seq === 1);
    expect((await recordsOf(log)).map(({ event_type }) => event_type)).toEqual(['tool_call']);
  });

  it('answers reads and verifications during the outage from the kept records', async () => {
    const { log, faults } = await openFaulty();
    await log.append(draftOf());
    await log.list({}, { limit: 1, offset: 0 });
    faults.room = 10;
    await log.append(draftOf());
    await until(() => log.lines.length > 0);
    expect((await log.list({}, { limit: 9, offset: 0 })).total).toBe(1);
    expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 1 });
  });

  it('rejects the close with a message about the loss, which the next start records too', async () => {
    const { directory, log, faults } = await openFaulty();
    faults.room = 10;
    await log.append(draftOf());
    await log.close();
    expect(log.lines.at(-1)).toMatchObject({ level: 'error', fields: { records: 1 } });
    const next = await files.open(directory, { database: log.database });
    expect((await recordsOf(next)).map(({ details }) => details)).toEqual([
      { reason: 'unclean_stop', lost_records: 1, unfinished_actions: 0, cut_bytes: 10 },
    ]);
  });
});

it('does not forget that records are missing before the log says so', async () => {
  const { directory, log, path } = await openFaulty();
  for (const draft of draftsOf(3)) await log.append(draft);
  await log.close();
  await truncate(path, 0);
  const { faults, openHandle } = createFaults();
  faults.room = 0;
  const { database } = log;
  const second = await files.open(directory, { database, openHandle, clock: fastClock });
  await until(() => second.lines.some(({ message }) => message.includes('cannot be written')));
  await setTimeout(200); // longer than a head waits to be saved, on this clock
  await second.close();
  const third = await files.open(directory, { database });
  expect((await recordsOf(third)).map(({ details }) => details)).toMatchObject([
    { reason: 'records_missing', expected_seq: 3, found_seq: 0, lost_records: 4 },
  ]);
});

it('writes the rest of a write that was short', async () => {
  const { directory, log, faults } = await openFaulty();
  faults.chunk = 7;
  for (const draft of draftsOf(3)) await log.append(draft);
  expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 3 });
  expect(await linesIn(directory)).toEqual(chainOf(draftsOf(3)).lines);
});

describe('a strict log', () => {
  it('has a record once it is on disk, and not before', async () => {
    const { log, faults } = await openFaulty({ isStrict: true });
    let release = () => {};
    faults.sync = new Promise((resolve) => {
      release = resolve;
    });
    const appended = log.append(draftOf());
    const ended = Promise.resolve(log.begin()).then((action) => action.end(draftOf()));
    expect(await isPending(appended)).toBe(true);
    const { syncs } = faults;
    release();
    await Promise.all([appended, ended]);
    expect(faults.syncs).toBeGreaterThan(syncs);
    expect(log.waiting()).toBe(0);
  });

  it('shares one wait for the disk among those who come together', async () => {
    const { log, faults } = await openFaulty({ isStrict: true, flushIntervalMs: 60_000_000 });
    await Promise.all(draftsOf(500).map((draft) => log.append(draft)));
    expect(faults.writes).toBeLessThan(5);
  });

  it('rejects those who wait for a record that cannot be made safe, and keeps it', async () => {
    const { log, faults } = await openFaulty({ isStrict: true });
    faults.sync = Promise.reject(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
    faults.sync.catch(() => {});
    await expect(Promise.all([log.append(draftOf()), log.append(draftOf())])).rejects.toThrow(AuditUnavailable);
    expect(log.waiting()).toBe(2);
    faults.sync = undefined;
    await until(() => log.head().seq === 2);
    expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 2 });
  });
});

describe('a full queue', () => {
  it('keeps callers waiting and drops nothing', async () => {
    const { log, faults } = await openFaulty({ bufferCapacity: 10, maxBatchSize: 5 });
    let release = () => {};
    faults.gate = new Promise((resolve) => {
      release = resolve;
    });
    for (const draft of draftsOf(9)) await log.append(draft);
    const more = Promise.all(draftsOf(20).map((draft) => log.append(draft)));
    const begun = Promise.resolve(log.begin());
    expect([await isPending(more), await isPending(begun)]).toEqual([true, true]);
    release();
    await Promise.all([more, begun]);
    expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 29 });
  });

  it('is full of large records, too', async () => {
    const { log, faults } = await openFaulty({ flushIntervalMs: 60_000_000 });
    let release = () => {};
    faults.gate = new Promise((resolve) => {
      release = resolve;
    });
    const large = draftOf({ details: { text: 'x'.repeat(40 * 1024 * 1024) } });
    await log.append(large);
    expect(await isPending(log.append(large))).toBe(true);
    release();
    await log.close();
  });

  it('refuses those who wait when the log cannot be written', async () => {
    const { log, faults } = await openFaulty({ bufferCapacity: 2, maxBatchSize: 2 });
    faults.room = 0;
    const results = await Promise.allSettled([...draftsOf(3).map((draft) => log.append(draft)), log.begin()]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    faults.room = undefined;
    await until(() => log.head().seq === 4);
    expect((await recordsOf(log)).at(-1)?.details).toMatchObject({ reason: 'unwritable', refused: 1 });
  });
});

describe('batches', () => {
  it('wait for others as long as they may, and no longer than there are enough', async () => {
    const { log, faults } = await openFaulty({ flushIntervalMs: 5000, maxBatchSize: 10 }); // 100 ms
    for (const draft of draftsOf(9)) await log.append(draft);
    await setImmediate();
    expect(faults.writes).toBe(0);
    await log.append(draftOf());
    await until(() => log.head().seq === 10);
    expect(faults.writes).toBe(1);
    await log.append(draftOf());
    await until(() => log.head().seq === 11);
    expect(faults.writes).toBe(2);
  });
});

describe('a file that is moved away while it is open', () => {
  it.each<[string, string, (path: string) => Promise<unknown>]>([
    ['removed', 'was removed while the service runs', (path) => rm(path)],
    [
      'replaced',
      'was replaced while the service runs',
      (path) => rename(path, `${path}.old`).then(() => writeFile(path, '')),
    ],
    ['cut', 'was cut while the service runs', (path) => truncate(path, 20)],
    ['written to', 'was changed by another process', (path) => appendFile(path, 'x\n')],
  ])('is not written while it is %s, and verification finds it', async (_what, words, takeAway) => {
    const { log, path } = await openFaulty();
    for (const draft of draftsOf(3)) await log.append(draft);
    expect(await log.verify()).toMatchObject({ is_valid: true });
    const content = await readFile(path);
    await takeAway(path);
    expect(await log.verify()).toMatchObject({ is_valid: false });
    await log.append(draftOf());
    await until(() => log.lines.some(({ level }) => level === 'error'));
    await expect(log.begin()).rejects.toThrow(words);
    expect(log.waiting()).toBe(1);
    expect(await log.verify()).toMatchObject({ is_valid: false });
    if (words.includes('removed') || words.includes('replaced')) return;
    await writeFile(path, content); // as it was, in the same file
    await until(() => log.waiting() === 0);
    expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 5 });
  });

  it('is written again when it is put back', async () => {
    const { log, path } = await openFaulty();
    await log.append(draftOf());
    await log.verify();
    await rename(path, `${path}.away`);
    await log.append(draftOf());
    await until(() => log.lines.length > 0);
    await rename(`${path}.away`, path);
    await until(() => log.head().seq === 2);
    expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 2 });
  });
});
