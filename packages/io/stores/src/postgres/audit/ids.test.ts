// Lookups of records by the ids of their requests, approvals and keys, also of rows that an earlier version has written.
import type { AuditFilter } from '@portico/audit-chain';
import { type Kysely, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { draftOf } from '../../audit/testing/audit-files.js';
import { auditIds } from '../../migrations/017-audit-ids.js';
import type { Tables } from '../../tables.js';
import { postgresTypes } from '../open-postgres.js';
import { fillColumns } from './fill-columns.js';
import { toTerm } from './record-row.js';
import { createPostgresAudits, startLimitMs } from './testing/postgres-audits.js';

const audits = createPostgresAudits();

beforeAll(audits.start, startLimitMs);
afterEach(() => audits.removeAll());
afterAll(() => audits.close());

const long = 'k'.repeat(200);
const ids = { request_id: 'r-"1"', approval_id: 'appr-1-1', idempotency_key: long };
/** An argument that PostgreSQL has no text for. */
const odd = { request_id: 'odd', sanitized_args: { nul: '\0' } };

/** More UTF-16 units than a column takes, and fewer characters. */
const emoji = '😀'.repeat(70);

const from = { client: { name: 'agent', version: '1' }, channel: 'stdio' } as const;

async function logWithIds() {
  const database = await audits.open(await audits.create());
  const log = await audits.openLog(database);
  const decoy = { request_id: 'other', sanitized_args: { request_id: ids.request_id } };
  const drafts = [{ ...ids, ...from }, decoy, {}, odd, { request_id: emoji }];
  for (const draft of drafts) await log.append(draftOf(draft));
  await log.flush();
  const found = async (filter: AuditFilter) => {
    const { events, total } = await log.list(filter, { limit: 10, offset: 0 });
    expect(total).toBe(events.length);
    return events.map(({ seq }) => seq);
  };
  return { database, db: database.reads, log, found };
}

type Found = Awaited<ReturnType<typeof logWithIds>>['found'];

async function expectAllFound(found: Found): Promise<void> {
  for (const [field, id] of Object.entries(ids)) {
    expect(await found({ [field]: id })).toEqual([1]);
    expect(await found({ [field]: id.slice(1) })).toEqual([]);
  }
  for (const id of [ids.request_id, ids.approval_id]) expect(await found({ request_or_approval: id })).toEqual([1]);
  expect(await found({ request_id: 'odd' })).toEqual([4]);
  expect(await found({ request_id: emoji })).toEqual([5]);
  expect(await found({ ...ids, actor_id: 'of no record' })).toEqual([]);
}

const unread = { request_id: null, approval_id: null, idempotency_key: null, client: null, channel: null };

/** As a database of an earlier version is. */
async function migrateAgain(db: Kysely<Tables>): Promise<void> {
  await sql`drop table audit_block_ids`.execute(db);
  for (const column of Object.keys(unread))
    await sql`alter table audit_records drop column ${sql.ref(column)}`.execute(db);
  await auditIds.up(db as unknown as Kysely<unknown>, postgresTypes); // a migration knows no types of tables
}

function columnsOfAll(db: Kysely<Tables>) {
  const columns = ['request_id', 'approval_id', 'idempotency_key', 'client', 'channel'] as const;
  return db.selectFrom('audit_records').select(columns).orderBy('seq').execute();
}

describe('a lookup by an id', () => {
  it('finds the record that has it, and none that only mentions it', async () => {
    const { found } = await logWithIds();
    await expectAllFound(found);
  });

  it('finds rows whose columns are null, and verification takes them for whole', async () => {
    const { db, found, log } = await logWithIds();
    await sql`update audit_records set request_id = null, approval_id = null, idempotency_key = null`.execute(db);
    await expectAllFound(found);
    expect(await log.verify()).toMatchObject({ is_valid: true });
    await sql`update audit_records set approval_id = ''`.execute(db);
    const report = await log.verify();
    expect(report.is_valid).toBe(false);
    expect(JSON.stringify(report)).toContain('its column approval_id is not what the record has');
  });

  it('finds rows from before the columns were there, which the migration leaves as they are and the next start fills', async () => {
    const { database, db, found, log } = await logWithIds();
    await migrateAgain(db);
    expect(await columnsOfAll(db)).toEqual(Array(5).fill({ ...unread }));
    expect(await log.stats()).toMatchObject({ by_client: [{ client: 'unknown', count: 5 }], by_channel: {} });
    await expectAllFound(found);
    await audits.openLog(database);
    const none = { request_id: '', approval_id: '', idempotency_key: '', client: '', channel: '' };
    const whole = { ...ids, idempotency_key: toTerm(long), client: 'agent', channel: 'stdio' };
    const filled = [whole, { ...none, request_id: 'other' }, none, { ...none, request_id: 'odd' }];
    await expect.poll(() => columnsOfAll(db)).toEqual([...filled, { ...none, request_id: toTerm(emoji) }]);
    expect(await log.stats()).toMatchObject({ by_client: [{ client: 'agent', count: 1 }], by_channel: { stdio: 1 } });
    await expectAllFound(found);
    expect(await log.verify()).toMatchObject({ is_valid: true });
  });

  it('fills rows of many portions, past those whose lines are no records', async () => {
    const { database, db, log } = await logWithIds();
    for (let n = 0; n < 700; n++) await log.append(draftOf({ request_id: `r-${n}` }));
    await log.flush();
    await sql`update audit_records set request_id = null, order_ms = 1`.execute(db);
    await sql`update audit_records set line = 'no record' where seq between 100 and 399`.execute(db);
    const lines: string[] = [];
    const { signal } = new AbortController();
    await fillColumns({ database, signal, log: (level, message) => lines.push(`${level} ${message}`) });
    const { rows } = await sql`select min(seq) as first, max(seq) as last, count(*) as unfilled
      from audit_records where request_id is null`.execute(db);
    expect(rows).toEqual([{ first: 100, last: 399, unfilled: 300 }]);
    expect(lines).toEqual(['info ids of earlier audit records have been filled in']);
  });

  it('ends the filling when the log is closed', async () => {
    const { database, db } = await logWithIds();
    await sql`update audit_records set request_id = null`.execute(db);
    await fillColumns({ database, signal: AbortSignal.abort(), log: () => {} });
    expect((await columnsOfAll(db)).map(({ request_id }) => request_id)).toEqual(Array(5).fill(null));
  });
});

describe('statistics by client', () => {
  it('name clients whole that no index takes whole', async () => {
    const { log } = await logWithIds();
    for (const status of ['success', 'failed'] as const)
      await log.append(draftOf({ status, client: { name: long, version: '1' } }));
    await log.flush();
    expect((await log.stats()).by_client).toEqual([
      { client: long, count: 2 },
      { client: 'agent', count: 1 },
    ]);
  });
});
