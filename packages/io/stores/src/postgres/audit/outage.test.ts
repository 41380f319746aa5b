// A database that goes away, loses answers, or whose daemon is killed: nothing is lost that was kept, nothing is there twice,
// and the chain stays one.
import { setImmediate, setTimeout } from 'node:timers/promises';
import { AuditUnavailable } from '@portico/control-plane';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { draftOf, recordsOf } from '../../audit/testing/audit-files.js';
import { draftsOf } from '../../audit/testing/chain.js';
import { until } from '../../audit/testing/until.js';
import type { StateDatabase } from '../../database.js';
import { createPostgresAudits, fastClock, newChainId, startLimitMs } from './testing/postgres-audits.js';

const audits = createPostgresAudits();

beforeAll(audits.start, startLimitMs);
afterEach(() => audits.removeAll());
afterAll(() => audits.close());

it('refuses new actions while the database is unreachable, keeps what has happened, and records it afterwards', async () => {
  const server = await audits.server();
  const database = await audits.open(await audits.create());
  const log = await audits.openLog(database, { clock: fastClock });
  await log.append(draftOf({ capability_id: 'before' }));
  await log.flush();
  const action = await log.begin();
  await server.kill();
  for (const draft of draftsOf(5)) await log.append(draft);
  await until(() => log.unavailable() !== undefined);
  await expect(log.begin()).rejects.toThrow(AuditUnavailable);
  await expect(log.begin()).rejects.toThrow('the audit log cannot be written, so nothing is run');
  await expect(action.end(draftOf({ capability_id: 'ended' }))).rejects.toThrow(AuditUnavailable);
  expect(log.waiting()).toBe(6);
  await expect(log.list({}, { limit: 1, offset: 0 })).rejects.toThrow();
  await server.start();
  await until(() => log.waiting() === 0 && log.head().seq === 8);
  expect(log.unavailable()).toBeUndefined();
  const records = await recordsOf(log);
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(records.slice(0, 7).map(({ capability_id }) => capability_id)).toEqual([
    'before',
    ...draftsOf(5).map(({ capability_id }) => capability_id),
    'ended',
  ]);
  expect(records[7]).toMatchObject({ event_type: 'audit_gap', details: { reason: 'unwritable', refused: 2 } });
  expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 8 });
  expect(log.lines.map(({ level }) => level)).toEqual(['error', 'info']);
});

it('loses nothing of a storm that the database dies in, and has nothing twice', async () => {
  const server = await audits.server();
  const database = await audits.open(await audits.create());
  const log = await audits.openLog(database, { clock: fastClock, isStrict: true, bufferCapacity: 100_000 });
  let appended = 0;
  let isOver = false;
  const storm = async () => {
    while (!isOver) {
      appended += 1;
      await log.append(draftOf({ duration_us: appended })).catch(() => setTimeout(1)); // it is kept in any case
    }
  };
  const storms = Promise.all([storm(), storm(), storm(), storm()]);
  for (let round = 0; round < 2; round++) {
    const before = log.head().seq;
    await until(() => log.head().seq > before + 50);
    await server.kill();
    await until(() => log.unavailable() !== undefined);
    await server.start();
    await until(() => log.unavailable() === undefined);
  }
  isOver = true;
  await storms;
  await until(() => log.waiting() === 0);
  const records = await recordsOf(log);
  expect(records.map(({ duration_us }) => duration_us)).toEqual(Array.from({ length: appended }, (_, i) => i + 1));
  expect(await log.verify()).toMatchObject({ is_valid: true, total_records: appended });
}, 120_000);

it('rejects the close with a message about the loss, which the next start records too', async () => {
  const server = await audits.server();
  const url = await audits.create();
  const log = await audits.openLog(await audits.open(url), { clock: fastClock });
  await server.kill();
  await log.append(draftOf());
  await log.close();
  expect(log.lines.at(-1)).toMatchObject({ level: 'error', fields: { records: 1 } });
  await server.start();
  const next = await audits.openLog(await audits.open(url), log);
  expect((await recordsOf(next)).map(({ details }) => details)).toEqual([
    { reason: 'unclean_stop', lost_records: 1, unfinished_actions: 0 },
  ]);
});

type Fault = 'none' | 'refused' | 'answer lost';

/** A database whose next writes fail as the test says. */
function createFaults(database: StateDatabase) {
  const faults: Fault[] = [];
  const faulty: StateDatabase = {
    ...database,
    async write(write, options) {
      const fault = faults.shift() ?? 'none';
      if (fault === 'refused') throw new Error('the database refuses it');
      const result = await database.write(write, options);
      if (fault === 'answer lost') throw new Error('the connection was lost');
      return result;
    },
  };
  return { faults, faulty };
}

type Step =
  | { readonly kind: 'append'; readonly count: number }
  | { readonly kind: 'faults'; readonly faults: readonly Fault[] }
  | { readonly kind: 'settle' | 'kill' | 'restart' };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    kind: fc.constant('faults' as const),
    faults: fc.array(fc.constantFrom<Fault>('none', 'refused', 'answer lost'), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ kind: fc.constantFrom('settle' as const, 'kill' as const, 'restart' as const) }),
);

it('keeps one chain through lost answers, kills and restarts, with every record once and the lost ones counted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 14 }), fc.boolean(), async (steps, isStrict) => {
      const { faults, faulty } = createFaults(await audits.empty());
      const chainId = newChainId();
      const stateDirectory = await audits.createDirectory();
      const open = () =>
        audits.openLog(faulty, { chainId, stateDirectory, isStrict, clock: fastClock, maxBatchSize: 4 });
      let log = await open();
      let appended = 0;
      let settled = 0;
      const settle = async () => {
        await until(() => log.waiting() === 0);
        settled = appended;
      };
      for (const step of steps) {
        if (step.kind === 'append') {
          for (let n = 0; n < step.count; n++) log.append(draftOf({ duration_us: ++appended })).catch(() => {});
          await setImmediate();
        }
        if (step.kind === 'faults') faults.push(...step.faults);
        if (step.kind === 'settle') await settle();
        if (step.kind === 'restart') {
          await settle();
          faults.length = 0;
          await log.close();
          log = await open();
        }
        if (step.kind === 'kill') {
          await setImmediate(); // the counters are written
          faults.length = 0;
          log = await open(); // the connection before never answers again
        }
      }
      await settle();
      const records = await recordsOf(log);
      const calls = records.flatMap((record) => record.duration_us ?? []);
      expect(calls).toEqual([...new Set(calls)].sort((a, b) => a - b));
      const lost = records.reduce((sum, { details }) => sum + Number(details?.lost_records ?? 0), 0);
      expect(calls.length + lost).toBeGreaterThanOrEqual(appended);
      if (!steps.some(({ kind }) => kind === 'kill')) expect([calls.length, lost]).toEqual([settled, 0]);
      expect(await log.verify()).toMatchObject({ is_valid: true, total_records: records.length });
    }),
    { numRuns: 100 },
  );
}, 300_000);
