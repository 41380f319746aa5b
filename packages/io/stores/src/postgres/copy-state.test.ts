// Moving from SQLite to PostgreSQL: everything is found again, numbers are not given twice, and nothing is mixed.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAuditHeads } from '../audit/heads.js';
import { createSiemCursors } from '../audit/siem-cursors.js';
import { createFeedStore } from '../feed.js';
import { createLedger } from '../ledger.js';
import { createOAuthRecords } from '../oauth/oauth-records.js';
import { durableTableNames } from '../tables.js';
import { draftOf } from '../testing/draft.js';
import { intentOf, recordOf } from '../testing/intent.js';
import { noLog } from '../testing/postgres-databases.js';
import { useDatabases } from '../testing/use-databases.js';
import { createTicketStore } from '../tickets.js';
import { createVectorStore } from '../vectors.js';
import { copyState } from './copy-state.js';
import { StorageError } from './storage-error.js';

const stateDirectory = 'd'.repeat(32);
const { temp, postgres, sqlites } = await useDatabases();

it.each(sqlites)('finds everything again, and goes on counting where $name was', async ({ open }) => {
  const from = await open();
  const intents = Array.from({ length: 130 }, (_, i) => intentOf({ key: `k-${i}`, createdAtMs: 1000 + i }));
  for (const intent of intents) await createLedger(from).begin(intent);
  await createLedger(from).forget('ann', 'k-129');
  const { ticket } = await createTicketStore(from).open(draftOf());
  const entry = { objectType: 'prompt', id: 's.nie 🙅', server: 's', digest: 'd' } as const;
  await createFeedStore(from).append({ events: [], listed: [entry], unlisted: [] }, 10);
  const vector = { digest: 'd', vector: Float32Array.from([0.1, -2.5e-8, 3e20]) };
  await createVectorStore(from).save('m', [vector], 1);
  const openKey = async () => key;
  const key = { home: 'file', bytes: randomBytes(32) } as const;
  const logins = { openKey, log: noLog };
  await createAuditHeads(from).set('/var/audit.jsonl', { seq: 7, hash: 'h', end: 99 });
  await createSiemCursors(from, '/var/audit.jsonl').set('t', 5);
  await createOAuthRecords<object>(from, logins).set({ server: 's', issuer: 'i' }, { token: 't' });

  const url = await postgres.create();
  const { to, tables } = await copyState(from, { url, log: noLog, stateDirectory });
  expect(to).not.toContain('canary');
  expect(tables.map(({ table }) => table)).toEqual(durableTableNames);
  expect(tables.filter(({ rows }) => rows > 0)).toEqual([
    { table: 'executions', rows: 129 },
    { table: 'approvals', rows: 1 },
    { table: 'catalog_entries', rows: 1 },
    { table: 'oauth', rows: 1 },
    { table: 'audit_heads', rows: 1 },
    { table: 'siem_cursors', rows: 1 },
    { table: 'search_vectors', rows: 1 },
  ]);

  const database = await postgres.open(url);
  const file = `${stateDirectory}:/var/audit.jsonl`; // other daemons may have a file of the same path
  expect(await createAuditHeads(database).get(file)).toEqual({ seq: 7, hash: 'h', end: 99 });
  expect(await createSiemCursors(database, file).get('t')).toBe(5);
  const records = await createLedger(database).list('ann', { limit: 200, offset: 0 }, 0);
  expect(records).toEqual(
    intents
      .slice(0, 129)
      .map((intent) => recordOf(intent))
      .reverse(),
  );
  expect(await createTicketStore(database).get(ticket.id)).toEqual(ticket);
  expect((await createTicketStore(database).open(draftOf())).isNew).toBe(false);
  expect((await createFeedStore(database).load(10)).known).toEqual([entry]);
  expect(await createVectorStore(database).load('m', ['d'])).toEqual([vector]);
  expect(await createOAuthRecords<object>(database, logins).get({ server: 's', issuer: 'i' })).toEqual({ token: 't' });
  await createLedger(database).begin(intentOf({ key: 'next' }));
  const next = await database.reads.selectFrom('executions').select('seq').where('key', '=', 'next').execute();
  expect(next).toEqual([{ seq: 131 }]); // the number of the one that was forgotten is not given again
});

it('refuses a database with something in it, and one that a daemon uses', async () => {
  const from = await temp.openDatabase();
  await createLedger(from).begin(intentOf());
  const url = await postgres.create();
  const database = await postgres.open(url);
  const copy = () => copyState(from, { url, log: noLog, stateDirectory });
  await expect(copy()).rejects.toThrow('uses it; stop that one first, or name another database');
  await createLedger(database).begin(intentOf({ key: 'other' }));
  await database.close();
  await expect(copy()).rejects.toThrow('has rows in executions already; copy into an empty database');
  await expect(copy()).rejects.toBeInstanceOf(StorageError);
  const again = await postgres.open(url);
  expect(await createLedger(again).get('ann', 'k-1', 0)).toBeUndefined();
});

it('keeps nothing where it fails half-way', async () => {
  const from = await temp.openDatabase();
  for (const key of ['a', 'b']) await createLedger(from).begin(intentOf({ key }));
  const url = await postgres.create();
  const real = from.reads;
  const failing = Object.assign(Object.create(real), {
    getExecutor: () => {
      failing.calls += 1;
      if (failing.calls > 8) throw new Error('the disk fails');
      return real.getExecutor();
    },
    calls: 0,
  });
  await expect(copyState({ ...from, reads: failing }, { url, log: noLog, stateDirectory })).rejects.toThrow(
    'the disk fails',
  );
  const database = await postgres.open(url);
  expect(await database.reads.selectFrom('executions').selectAll().execute()).toEqual([]);
});
