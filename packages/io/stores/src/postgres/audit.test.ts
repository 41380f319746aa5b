// The state beside an audit file, in PostgreSQL: its index answers, also after a restart, and a truncation of the file
// is noticed.
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditFilter, matchesFilter } from '@portico/audit-chain';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createAuditFiles, recordsOf } from '../audit/testing/audit-files.js';
import { chainOf, draftsOf } from '../audit/testing/chain.js';
import { createPostgresDatabases, startLimitMs } from '../testing/postgres-databases.js';

const files = createAuditFiles();
const postgres = createPostgresDatabases();

beforeAll(postgres.start, startLimitMs);
afterEach(async () => {
  await files.removeAll();
  await postgres.closeAll();
});
afterAll(() => postgres.close());

const chain = chainOf(draftsOf(3000));
const filters: readonly AuditFilter[] = [
  {},
  { actor_id: 'ä1', status: 'failed' },
  { start_ms: Date.UTC(2026, 0, 2) + 1_500_000, end_ms: Date.UTC(2026, 0, 2) + 2_600_000 },
  { trace_id: 'trace-2321' },
  { request_id: 'request-3' },
  { approval_id: 'appr-18-1' },
];

it('answers as a search through all records would, also after a restart, and notices a cut', async () => {
  const directory = await files.createDirectory();
  const file = join(directory, 'audit.jsonl');
  await writeFile(file, chain.text);
  const url = await postgres.create();
  const open = async () => {
    const database = await postgres.open(url);
    const log = await files.open(directory, { database });
    return { database, log, close: () => log.close().then(() => database.close()) };
  };
  for (let restarts = 0; restarts < 2; restarts++) {
    const { log, database, close } = await open();
    for (const filter of filters) {
      expect(await recordsOf(log, filter)).toEqual(chain.records.filter((record) => matchesFilter(record, filter)));
    }
    // On a slow machine it says how far it has come with the index.
    const progress = { level: 'info', message: 'the index of the audit log is being built' };
    expect(log.lines).toEqual(log.lines.map(() => expect.objectContaining(progress)));
    await expect
      .poll(async () => (await database.reads.selectFrom('audit_blocks').select('first_seq').execute()).length)
      .toBe(2);
    await close();
  }
  await truncate(file, Buffer.byteLength(chain.text) - 20);
  const { log, close } = await open();
  expect(log.lines).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('were cut off or replaced'), level: 'error' }),
  );
  await close();
});
