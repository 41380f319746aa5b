// Chains of several daemons in one database: they go on over restarts, are read as one log, and no change of a row goes
// unnoticed.
import { type AuditDraft, createLogVerifier, recordLine } from '@portico/audit-chain';
import { type Kysely, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AuditFileError } from '../../audit/audit-file-error.js';
import { draftOf, recordsOf } from '../../audit/testing/audit-files.js';
import type { StateDatabase } from '../../database.js';
import type { Tables } from '../../tables.js';
import { createPostgresAudits, newChainId, startLimitMs } from './testing/postgres-audits.js';

const audits = createPostgresAudits();

beforeAll(audits.start, startLimitMs);
afterEach(() => audits.removeAll());
afterAll(() => audits.close());

const all = { limit: 1000, offset: 0 };
const [a, b] = ['a'.repeat(32), 'b'.repeat(32)];
const timed = (seconds: number, some: Partial<AuditDraft> = {}) =>
  draftOf({ timestamp: new Date(Date.UTC(2026, 0, 2) + 1000 * seconds).toISOString(), ...some });

type OpenLog = Awaited<ReturnType<typeof audits.openLog>>;

/** Two daemons on connections of their own; one has the times 0, 2, 4 and 6, the other 1, 3 and 5. */
async function twoDaemons() {
  const url = await audits.create();
  const [one, other] = [await audits.open(url), await audits.open(url)];
  const inA = await audits.openLog(one, { chainId: a });
  const inB = await audits.openLog(other, { chainId: b });
  for (let second = 0; second < 7; second++) {
    await (second % 2 === 0 ? inA : inB).append(timed(second, { capability_id: `s.${second}` }));
  }
  await Promise.all([inA.flush(), inB.flush()]);
  return { url, db: one, inA, inB };
}

const idOf = (chain: string, seq: number) => `aud-${chain}-${String(seq).padStart(12, '0')}`;
const capabilities = (records: readonly { capability_id?: string }[]) => records.map((record) => record.capability_id);

describe('the chain of a daemon', () => {
  it('goes on over restarts', async () => {
    const database = await audits.empty();
    const first = await audits.openLog(database, { chainId: a });
    await first.append(draftOf());
    await first.append(draftOf());
    await first.close();
    const { stateDirectory } = first;
    const second = await audits.openLog(database, { chainId: a, stateDirectory });
    expect(second.head()).toEqual(first.head());
    await second.append(draftOf({ timestamp: 'never' }));
    const records = await recordsOf(second);
    expect(records.map(({ id }) => id)).toEqual([idOf(a, 1), idOf(a, 2), idOf(a, 3)]);
    expect(records.map(({ chain_id }) => chain_id)).toEqual([a, a, a]);
    expect(await second.verify()).toMatchObject({ is_valid: true, total_records: 3 });
    expect(second.lines).toEqual([]);
  });

  it('reports the losses of a crash, as the state directory remembers them', async () => {
    const database = await audits.empty();
    const first = await audits.openLog(database, { chainId: a, flushIntervalMs: 60_000, maxBatchSize: 1000 });
    await first.append(draftOf());
    await first.flush();
    await first.begin();
    await first.append(draftOf());
    await new Promise(setImmediate);
    const next = await audits.openLog(database, { chainId: a, stateDirectory: first.stateDirectory });
    expect((await recordsOf(next)).at(-1)?.details).toEqual({
      reason: 'unclean_stop',
      lost_records: 1,
      unfinished_actions: 1,
    });
    expect(await next.verify()).toMatchObject({ is_valid: true, total_records: 2 });
  });

  it('is never forked: the process that comes later has it, and the other refuses what it cannot record', async () => {
    const database = await audits.empty();
    const first = await audits.openLog(database, { chainId: a });
    await first.append(draftOf());
    await first.flush();
    const copy = await audits.openLog(database, { chainId: a });
    await first.append(draftOf());
    await first.flush(); // before the other has written anything
    await copy.append(draftOf()); // the same record
    await copy.flush();
    expect(first.unavailable()).toContain(`another process has gone on with audit chain ${a}`);
    await expect(first.begin()).rejects.toThrow('see whether a copy of the state directory is in use');
    expect(await copy.verify()).toMatchObject({ is_valid: true, total_records: 2 });
    await first.close();
    expect(first.lines.at(-1)).toMatchObject({ level: 'error', fields: { chain: a, records: 1 } });
  });

  it('reports permanently that rows at its end were removed while it was closed', async () => {
    const database = await audits.empty();
    const first = await audits.openLog(database, { chainId: a });
    for (let n = 0; n < 4; n++) await first.append(draftOf());
    await first.close();
    await sql`delete from audit_records where seq > 2`.execute(database.reads);
    const next = await audits.openLog(database, { chainId: a });
    expect(next.lines[0]).toMatchObject({ level: 'error', fields: { chain: a, expected_seq: 4, found_seq: 2 } });
    expect((await recordsOf(next)).map(({ seq, event_type }) => [seq, event_type])).toEqual([
      [1, 'tool_call'],
      [2, 'tool_call'],
      [5, 'audit_gap'],
    ]);
    expect(await next.verify()).toMatchObject({ is_valid: false, first_corrupted_id: idOf(a, 3) });
  });

  it('reports how many rows are missing if rows and head were both set back, as the state directory remembers them', async () => {
    const database = await audits.empty();
    const first = await audits.openLog(database, { chainId: a });
    for (let n = 0; n < 5; n++) await first.append(draftOf());
    await first.close();
    const [, , third] = await recordsOf(await audits.openLog(database));
    await sql`delete from audit_records where seq > 3`.execute(database.reads);
    await sql`update audit_heads set seq = 3, hash = ${third?.hash} where log = ${`postgres:${a}`}`.execute(
      database.reads,
    );
    const next = await audits.openLog(database, first);
    expect((await recordsOf(next)).at(-1)?.details).toMatchObject({ reason: 'unclean_stop', lost_records: 2 });
  });

  it('says so where its head was removed, and is refused where rows follow its end', async () => {
    const database = await audits.empty();
    const first = await audits.openLog(database, { chainId: a });
    for (let n = 0; n < 3; n++) await first.append(draftOf());
    await first.close();
    await sql`update audit_heads set seq = 2`.execute(database.reads);
    const refused = audits.openLog(database, { chainId: a });
    await expect(refused).rejects.toThrow(AuditFileError);
    await expect(refused).rejects.toThrow('it ends at record 2, and has rows up to 3, which no daemon has written');
    await sql`delete from audit_heads`.execute(database.reads);
    const next = await audits.openLog(database, { chainId: a });
    const report = await next.verify();
    expect(report).toMatchObject({ is_valid: false, first_corrupted_id: idOf(a, 4), total_records: 4 });
    expect(report.details).toContain('where the log had ended is not known');
    await next.close();
    await sql`update audit_records set line = 'x' where seq = 4`.execute(database.reads);
    await sql`delete from audit_heads`.execute(database.reads);
    await expect(audits.openLog(database, { chainId: a })).rejects.toThrow('its last row, 4, is no record');
  });
});

describe('the chains of two daemons', () => {
  it('are one log to both of them', async () => {
    const { inA, inB } = await twoDaemons();
    for (const log of [inA, inB]) {
      const { events, total } = await log.list({}, all);
      expect([capabilities(events), total]).toEqual([['s.6', 's.5', 's.4', 's.3', 's.2', 's.1', 's.0'], 7]);
      expect(capabilities((await log.list({}, { limit: 2, offset: 3 })).events)).toEqual(['s.3', 's.2']);
      expect(await recordsOf(log)).toEqual(events.toReversed());
      expect(await log.get(idOf(b, 2))).toMatchObject({ capability_id: 's.3', chain_id: b });
      expect(await log.get(idOf('c'.repeat(32), 1))).toBeUndefined();
      expect(await log.stats()).toMatchObject({ total_events: 7, by_status: { success: 7 } });
      expect(capabilities((await log.list({ q: 'S.5' }, all)).events)).toEqual(['s.5']);
      expect((await log.list({ start_ms: Date.UTC(2026, 0, 2, 0, 0, 3), capability_id: 's.5' }, all)).total).toBe(1);
      const report = await log.verify();
      expect(report).toMatchObject({ is_valid: true, total_records: 7, verified_records: 7 });
      expect(report.chains?.map((chain) => [chain.chain_id, chain.total_records])).toEqual([
        [a, 4],
        [b, 3],
      ]);
    }
  });

  it('are sent to SIEM targets each by its own daemon', async () => {
    const { inA, inB } = await twoDaemons();
    const portion = { maxRecords: 10, maxCharacters: 1_000_000 };
    expect(capabilities(await inA.after(1, portion))).toEqual(['s.2', 's.4', 's.6']);
    expect(capabilities(await inB.after(1, portion))).toEqual(['s.3', 's.5']);
    expect([inA.head().seq, inB.head().seq]).toEqual([4, 3]);
  });

  it('are exported so that both can be verified offline, also where a clock went back', async () => {
    const { inA, inB } = await twoDaemons();
    await inB.append(timed(-100, { capability_id: 's.back' }));
    await inA.append(timed(7));
    await inB.flush();
    const verifier = createLogVerifier();
    for (const record of await recordsOf(inA)) verifier.push(recordLine(record));
    expect(verifier.end()).toMatchObject({ is_valid: true, total_records: 9 });
    expect(capabilities((await inA.list({ end_ms: Date.UTC(2026, 0, 1, 23, 59) }, all)).events)).toEqual(['s.back']);
  });

  it('shows names that no index takes whole', async () => {
    const { inA, inB } = await twoDaemons();
    const long = `s.${'é\0'.repeat(3000)}`;
    for (let n = 0; n < 5; n++) await inA.append(timed(10, { capability_id: long, actor_id: `${long}-` }));
    await inA.flush();
    expect((await inB.list({ capability_id: long }, all)).total).toBe(5);
    expect((await inB.list({ actor_id: long }, all)).total).toBe(0);
    expect((await inB.stats()).by_capability[0]).toEqual({ capability_id: long, count: 5 });
    expect((await inB.verify()).is_valid).toBe(true);
  });

  it('are counted also where the line of a name that no index takes whole was edited', async () => {
    const { db, inA } = await twoDaemons();
    const long = `s.${'x'.repeat(3000)}`;
    await inA.append(timed(10, { capability_id: long }));
    await inA.flush();
    await sql`update audit_records set line = 'no record' where capability_id like 's.xxx%'`.execute(db.reads);
    const { total_events, by_capability } = await inA.stats();
    expect([total_events, by_capability.length]).toEqual([8, 8]);
    expect(by_capability.map(({ capability_id }) => capability_id)).toContainEqual(
      expect.stringMatching(/^s\.x{126}…[0-9a-f]{64}$/),
    );
  });
});

const line = (change: string) =>
  sql.raw(`update audit_records set line = ${change} where chain_id = '${b}' and seq = 2`);
const tampering: readonly (readonly [string, ReturnType<typeof sql.raw>, string, string])[] = [
  ['a changed record', line(`replace(line, 's.3', 's.9')`), idOf(b, 2), 'is not what the record has'],
  ['a line that is none', line(`'{}'`), idOf(b, 2), 'is missing'],
  [
    'a changed column',
    sql.raw(`update audit_records set status = 'denied' where chain_id = '${b}' and seq = 2`),
    idOf(b, 2),
    'its column status',
  ],
  [
    'a place in the order',
    sql.raw(`update audit_records set order_ms = order_ms + 1 where chain_id = '${b}' and seq = 2`),
    idOf(b, 2),
    'its column order_ms',
  ],
  [
    'a row that was deleted in the middle',
    sql.raw(`delete from audit_records where chain_id = '${b}' and seq = 2`),
    idOf(b, 2),
    'records are missing',
  ],
  [
    'the newest rows that were deleted',
    sql.raw(`delete from audit_records where chain_id = '${b}' and seq >= 2`),
    idOf(b, 2),
    'ends before the record',
  ],
  [
    'all rows that were deleted',
    sql.raw(`delete from audit_records where chain_id = '${b}'`),
    idOf(b, 1),
    'ends before the record',
  ],
  [
    'a head that was removed',
    sql.raw(`delete from audit_heads where log = 'postgres:${b}'`),
    idOf(b, 4),
    'its head was removed',
  ],
  [
    'rows and a head that were put back together',
    sql.raw(`with gone as (delete from audit_records where chain_id = '${b}' and seq = 3)
      update audit_heads set seq = 2, hash = (select prev_hash from (select (line::json)->>'prev_hash' as prev_hash from audit_records where chain_id = '${b}' and seq = 3) x) where log = 'postgres:${b}'`),
    idOf(b, 3),
    'ends before the record',
  ],
  [
    'rows that have changed places',
    sql.raw(`update audit_records r set line = o.line from audit_records o
      where r.chain_id = '${b}' and o.chain_id = '${b}' and r.seq in (1, 2) and o.seq = 3 - r.seq`),
    idOf(b, 1),
    'is not what the record has',
  ],
  [
    'a row that was moved to another chain',
    sql.raw(`update audit_records set chain_id = '${a}', seq = 5 where chain_id = '${b}' and seq = 3`),
    idOf(a, 5),
    'its column chain_id',
  ],
  [
    'a row that was added',
    sql.raw(`insert into audit_records select chain_id, 4, order_ms, at_ms, event_type, status, trace_id, actor_id, server_id, capability_id, line
      from audit_records where chain_id = '${b}' and seq = 3`),
    idOf(b, 4),
    'its column seq',
  ],
];

async function reportAfter(change: ReturnType<typeof sql.raw>, db: StateDatabase, by: OpenLog) {
  await change.execute(db.reads as Kysely<Tables>);
  return by.verify();
}

describe('tampering in the database', () => {
  it.each(tampering)('is found and named: %s', async (_what, change, id, words) => {
    const { db, inB } = await twoDaemons();
    const report = await reportAfter(change, db, inB);
    expect(report.is_valid).toBe(false);
    expect([report.first_corrupted_id, report.chains?.filter((chain) => !chain.is_valid).length]).toEqual([
      id,
      expect.any(Number),
    ]);
    expect(report.details).toContain(words);
    expect(report.details).toContain(`chain ${id.slice(4, 36)}`);
  });

  it('is found in the chain of a daemon that has ended', async () => {
    const { db, inA, inB } = await twoDaemons();
    await inB.close();
    const [, change, id] = tampering[5] ?? [];
    if (change === undefined) throw new Error('there is no such change');
    expect(await reportAfter(change, db, inA)).toMatchObject({ is_valid: false, first_corrupted_id: id });
    const stranger = await audits.openLog(db, { chainId: newChainId() });
    expect(await stranger.verify()).toMatchObject({ is_valid: false, first_corrupted_id: id });
  });
});
