// Lookups of records by the ids of their requests, approvals and keys, also of rows that an earlier version has written.
import type { AuditFilter } from '@portico/audit-chain';
import { type Kysely, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { draftOf } from '../../audit/testing/audit-files.js';
import { auditIds } from '../../migrations/017-audit-ids.js';
import { postgresTypes } from '../open-postgres.js';
import { createPostgresAudits, startLimitMs } from './testing/postgres-audits.js';

const audits = createPostgresAudits();

beforeAll(audits.start, startLimitMs);
afterEach(() => audits.removeAll());
afterAll(() => audits.close());

const long = 'k'.repeat(200);
const ids = { request_id: 'r-"1"', approval_id: 'appr-1-1', idempotency_key: long };
/** An argument that PostgreSQL has no text for. */
const odd = { request_id: 'odd', sanitized_args: { nul: '\0' } };

const from = { client: { name: 'agent', version: '1' }, channel: 'stdio' } as const;

async function logWithIds() {
  const database = await audits.open(await audits.create());
  const log = await audits.openLog(database);
  const decoy = { request_id: 'other', sanitized_args: { request_id: ids.request_id } };
  for (const draft of [{ ...ids, ...from }, decoy, {}, odd]) await log.append(draftOf(draft));
  await log.flush();
  const found = async (filter: AuditFilter) => {
    const { events, total } = await log.list(filter, { limit: 10, offset: 0 });
    expect(total).toBe(events.length);
    return events.map(({ seq }) => seq);
  };
  return { db: database.reads, log, found };
}

type Found = Awaited<ReturnType<typeof logWithIds>>['found'];

async function expectAllFound(found: Found): Promise<void> {
  for (const [field, id] of Object.entries(ids)) {
    expect(await found({ [field]: id })).toEqual([1]);
    expect(await found({ [field]: id.slice(1) })).toEqual([]);
  }
  for (const id of [ids.request_id, ids.approval_id]) expect(await found({ request_or_approval: id })).toEqual([1]);
  expect(await found({ request_id: 'odd' })).toEqual([4]);
  expect(await found({ ...ids, actor_id: 'of no record' })).toEqual([]);
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

  it('finds rows from before the columns were there', async () => {
    const { db, found, log } = await logWithIds();
    await sql`drop table audit_block_ids`.execute(db);
    for (const field of Object.keys({ ...ids, ...from }))
      await sql`alter table audit_records drop column ${sql.ref(field)}`.execute(db);
    // A migration knows no types of tables.
    await auditIds.up(db as unknown as Kysely<unknown>, postgresTypes);
    const { rows } =
      await sql`select request_id, approval_id, idempotency_key, client, channel from audit_records order by seq`.execute(
        db,
      );
    const none = { request_id: '', approval_id: '', idempotency_key: '', client: '', channel: '' };
    const unread = { request_id: null, approval_id: null, idempotency_key: null, client: null, channel: null };
    const whole = { ...ids, idempotency_key: null, client: 'agent', channel: 'stdio' };
    expect(rows).toEqual([whole, { ...none, request_id: 'other' }, none, unread]);
    expect(await log.stats()).toMatchObject({ by_client: [{ client: 'agent', count: 1 }], by_channel: { stdio: 1 } });
    await expectAllFound(found);
    expect(await log.verify()).toMatchObject({ is_valid: true });
  });
});
