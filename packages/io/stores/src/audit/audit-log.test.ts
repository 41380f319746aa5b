// The behaviour of every audit log: one suite over every implementation.
import {
  type AuditDraft,
  type AuditFilter,
  auditEventTypes,
  createSeries,
  createStats,
  createUsage,
  genesisHead,
  matchesFilter,
  recordId,
  toSpan,
} from '@portico/audit-chain';
import { type AuditLog, createMemoryAuditLog } from '@portico/control-plane';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createPostgresAudits } from '../postgres/audit/testing/postgres-audits.js';
import { createAuditFiles, draftOf, realClock, recordsOf } from './testing/audit-files.js';

const files = createAuditFiles();

const postgres = createPostgresAudits();
const chainId = 'c'.repeat(32);

afterEach(async () => {
  await files.removeAll();
  await postgres.removeAll();
});
afterAll(() => postgres.close());

/** It stands still, so that no hour begins between two looks at it. */
const nowMs = Date.now();
const clock = { ...realClock, epochMs: () => nowMs };

interface Implementation {
  readonly open: () => Promise<AuditLog>;
  readonly chainId?: string;
}

const inPostgres = (isStrict: boolean): Implementation => ({
  open: async () => postgres.openLog(await postgres.empty(), { chainId, isStrict, clock }),
  chainId,
});

const implementations: readonly (readonly [string, Implementation])[] = [
  ['memory', { open: async () => createMemoryAuditLog({ capacity: 10_000, epochMs: clock.epochMs }) }],
  ['file', { open: async () => files.open(await files.createDirectory(), { clock }) }],
  ['file, strict', { open: async () => files.open(await files.createDirectory(), { isStrict: true, clock }) }],
  ['PostgreSQL', inPostgres(false)],
  ['PostgreSQL, strict', inPostgres(true)],
];

const portion = { maxRecords: 100, maxCharacters: 1_000_000 };
const all = { limit: 1000, offset: 0 };
const startMs = Date.parse('2026-01-02T03:04:05.678Z');

async function appendAll(log: AuditLog, drafts: readonly AuditDraft[]): Promise<void> {
  await Promise.all(drafts.map((draft) => log.append(draft)));
}

const named = (...ids: string[]) => ids.map((capability_id) => draftOf({ capability_id }));

describe.each(implementations)('an audit log in %s', (_where, { open, chainId: chain }) => {
  const idOf = (seq: number) => recordId(seq, chain);

  it('is empty at first', async () => {
    const log = await open();
    expect(log.head()).toEqual(genesisHead);
    expect(log.waiting()).toBe(0);
    expect(await log.list({}, all)).toEqual({ events: [], total: 0 });
    expect(await log.get(idOf(1))).toBeUndefined();
    expect(await log.after(0, portion)).toEqual([]);
    expect(await recordsOf(log)).toEqual([]);
    expect(await log.stats()).toMatchObject({ total_events: 0, by_capability: [] });
    expect(await log.usage({}, 1, 'capability_id')).toEqual({ rows: [], isComplete: true });
    expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 0 });
  });

  it('keeps records in the order of the calls, and shows them once append has resolved', async () => {
    const log = await open();
    await appendAll(log, named('s.a', 's.b', 's.c'));
    const records = await recordsOf(log);
    expect(records.map(({ id, seq, capability_id }) => [id, seq, capability_id])).toEqual([
      [idOf(1), 1, 's.a'],
      [idOf(2), 2, 's.b'],
      [idOf(3), 3, 's.c'],
    ]);
    expect(await log.list({}, all)).toEqual({ events: records.toReversed(), total: 3 });
    expect(await log.get(idOf(2))).toEqual(records[1]);
    expect(await log.after(0, portion)).toEqual(records);
    expect(log.head()).toEqual({ seq: 3, hash: records[2]?.hash });
    expect(log.waiting()).toBe(0);
    expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 3, verified_records: 3 });
  });

  it('records an action when it ends, or not at all', async () => {
    const log = await open();
    const [one, other, silent] = [await log.begin(), await log.begin(), await log.begin()];
    await other.end(draftOf({ capability_id: 's.other' }));
    await silent.end();
    await one.end(draftOf({ capability_id: 's.one' }));
    expect((await recordsOf(log)).map(({ capability_id }) => capability_id)).toEqual(['s.other', 's.one']);
  });

  it.each([
    '',
    'aud-',
    'aud-1',
    recordId(0),
    recordId(4),
    recordId(4, chainId),
    `aud-0${recordId(1).slice(4)}`,
    ` ${recordId(1)}`,
    '1',
  ])('has no record %j', async (id) => {
    const log = await open();
    await appendAll(log, named('s.a', 's.b', 's.c'));
    expect(await log.get(id)).toBeUndefined();
  });

  it('is listed newest first, in pages, with the number of all that match', async () => {
    const log = await open();
    await appendAll(log, named('a', 'b', 'a', 'b', 'a'));
    const page = async (filter: AuditFilter, limit: number, offset: number) => {
      const { events, total } = await log.list(filter, { limit, offset });
      return [events.map(({ seq }) => seq), total];
    };
    expect(await page({}, 2, 0)).toEqual([[5, 4], 5]);
    expect(await page({}, 2, 4)).toEqual([[1], 5]);
    expect(await page({}, 2, 5)).toEqual([[], 5]);
    expect(await page({ capability_id: 'a' }, 2, 1)).toEqual([[3, 1], 3]);
    expect(await page({ capability_id: 'c' }, 2, 0)).toEqual([[], 0]);
    expect(await page({}, 0, 0)).toEqual([[], 5]);
  });

  it('ends a page early that would be too big to be sent, and still counts all', async () => {
    const log = await open();
    const large = draftOf({ details: { text: 'x'.repeat(3 * 1024 * 1024) } });
    await appendAll(log, [large, large, large, large]);
    const { events, total } = await log.list({}, all);
    expect([events.map(({ seq }) => seq), total]).toEqual([[4, 3, 2], 4]);
    expect((await log.list({}, { limit: 10, offset: 3 })).events.map(({ seq }) => seq)).toEqual([1]);
  });

  it.each<AuditFilter>([
    { request_id: '1' },
    { request_or_approval: '1' },
    { trace_id: 'f'.repeat(32) },
    { q: 'common' },
  ])('ends a search for %j with its page where not all are counted', async (filter) => {
    const log = await open();
    const common = draftOf({ request_id: '1', trace_id: 'f'.repeat(32), capability_id: 's.common' });
    await appendAll(log, Array<AuditDraft>(600).fill(common));
    const { events, total } = await log.list(filter, { limit: 2, offset: 1, countsAll: false });
    expect(events.map(({ seq }) => seq)).toEqual([599, 598]);
    expect(total).toBeGreaterThan(3);
    expect(total).toBeLessThan(600);
    expect(await log.list(filter, { limit: 700, offset: 599, countsAll: false })).toMatchObject({
      events: [{ seq: 1 }],
      total: 600,
    });
  });

  it('gives what follows a position, a portion at a time', async () => {
    const log = await open();
    await appendAll(log, named('a', 'b', 'c', 'd'));
    const seqs = async (seq: number, maxRecords: number, maxCharacters: number) =>
      (await log.after(seq, { maxRecords, maxCharacters })).map((record) => record.seq);
    expect(await seqs(0, 2, 1_000_000)).toEqual([1, 2]);
    expect(await seqs(2, 9, 1_000_000)).toEqual([3, 4]);
    expect(await seqs(1, 9, 1)).toEqual([2]);
    expect(await seqs(4, 9, 1_000_000)).toEqual([]);
    expect(await seqs(99, 9, 1_000_000)).toEqual([]);
  });

  it('exports what was there when it was asked', async () => {
    const log = await open();
    await appendAll(log, named('a', 'b'));
    const records = log.records({});
    await appendAll(log, named('c'));
    const seen: number[] = [];
    for await (const { seq } of records) seen.push(seq);
    expect(seen).toEqual([1, 2]);
  });

  it('notifies listeners of records that were kept, until they unsubscribe', async () => {
    const log = await open();
    const heads: number[] = [];
    const stop = log.onKept(() => heads.push(log.head().seq));
    await appendAll(log, named('a', 'b'));
    await log.list({}, all);
    stop();
    await appendAll(log, named('c'));
    await log.list({}, all);
    expect(heads.at(-1)).toBe(2);
  });

  it('keeps events with odd texts', async () => {
    const log = await open();
    await log.append(draftOf({ capability_id: '\ud800', details: { 'a\nb': '\u2028\u0000😀', __proto__: 'x' } }));
    await log.append(draftOf({ actor_id: '', capability_id: '\ufeffé' }));
    const [odd] = (await log.list({ capability_id: '\ufffd' }, all)).events;
    expect(odd).toMatchObject({ seq: 1, details: { 'a\nb': '\u2028\u0000😀' } });
    expect((await log.list({ actor_id: '', capability_id: '\ufeffé' }, all)).total).toBe(1);
    expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 2 });
  });

  it('answers every filter and page as a search through all records would', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyDraft, { maxLength: 30 }),
        anyFilter,
        fc.nat(8),
        fc.nat(30),
        async (drafts, filter, limit, offset) => {
          const log = await open();
          await appendAll(log, drafts);
          const records = await recordsOf(log);
          const expected = records.filter((record) => matchesFilter(record, filter));
          expect(await recordsOf(log, filter)).toEqual(expected);
          const some = await log.list(filter, { limit, offset, countsAll: false });
          expect(some.events).toEqual(expected.toReversed().slice(offset, offset + limit));
          expect(some.total > offset + limit).toBe(expected.length > offset + limit);
          expect(await log.list(filter, { limit, offset })).toEqual({
            events: expected.toReversed().slice(offset, offset + limit),
            total: expected.length,
          });
          const counter = createStats(nowMs);
          for (const record of records) counter.add(record);
          expect(await log.stats()).toEqual(counter.stats());
          const [series, usage, actors] = [createSeries(span), createUsage('capability_id'), createUsage('actor_id')];
          for (const record of expected) {
            series.add(Date.parse(record.timestamp), record.status);
            for (const each of [usage, actors]) each.add(record, Date.parse(record.timestamp));
          }
          expect(await log.series(filter, span)).toEqual(series.points());
          expect(await log.usage(filter, most, 'capability_id')).toEqual(usage.usage(most));
          expect(await log.usage(filter, most, 'actor_id')).toEqual(actors.usage(most));
          await files.removeAll();
        },
      ),
      { numRuns: 40 },
    );
  });
});

/** The times of all drafts, in intervals of 90 days at least. */
const span = toSpan(startMs, startMs + 400 * 24 * 3_600_000, 10);
const most = 3;

const anyId = fc.constantFrom('a', 'b', 'A', 'é😀', 'ΑΣ', '"', 'x\\y', '');
const anyText = fc.oneof(anyId, fc.string({ unit: 'binary', maxLength: 4 }));

const anyDraft: fc.Arbitrary<AuditDraft> = fc.record(
  {
    timestamp: fc.oneof(
      fc.integer({ min: -2, max: 2 }).map((ms) => new Date(startMs + ms).toISOString()),
      fc.integer({ min: 0, max: 30 }).map((hours) => new Date(nowMs - hours * 3_600_000).toISOString()),
      fc.constant('never'),
    ),
    event_type: fc.constantFrom(...auditEventTypes.slice(0, 3)),
    status: fc.constantFrom('success', 'failed'),
    trace_id: anyId,
    actor_id: anyId,
    server_id: anyId,
    capability_id: anyId,
    rule: fc.constantFrom('deny:a', 'deny:"', 'deny:b'),
    duration_us: fc.nat(20),
    sanitized_args: fc.dictionary(anyText, anyText, { maxKeys: 2 }),
  },
  { requiredKeys: ['timestamp', 'event_type', 'status'] },
);

const anyFilter: fc.Arbitrary<AuditFilter> = fc.record(
  {
    actor_id: anyId,
    capability_id: anyId,
    server_id: anyId,
    trace_id: anyId,
    event_type: fc.constantFrom(...auditEventTypes.slice(0, 4)),
    event_types: fc.subarray([...auditEventTypes.slice(0, 4)], { minLength: 1 }),
    rule: fc.constantFrom('deny:a', 'deny:"'),
    status: fc.constantFrom('success', 'failed', 'denied'),
    start_ms: fc.integer({ min: startMs - 2, max: startMs + 2 }),
    end_ms: fc.integer({ min: startMs - 2, max: startMs + 2 }),
    q: fc.oneof(anyText, fc.constantFrom('1', 'Success', 'σ', 'ς')),
  },
  { requiredKeys: [] },
);
