// The index of a log: over many blocks, after restarts, and after external changes of the index or the file.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type AuditFilter, matchesFilter } from '@portico/audit-chain';
import { afterEach, describe, expect, it } from 'vitest';
import type { StateDatabase } from '../database.js';
import { idNumber } from './block.js';
import { createBlockStore } from './block-store.js';
import { createAuditFiles, draftOf, recordsOf } from './testing/audit-files.js';
import { chainOf, draftsOf } from './testing/chain.js';

const files = createAuditFiles();

afterEach(() => files.removeAll());

const count = 5000;
const chain = chainOf(draftsOf(count));
const all = { limit: 10_000, offset: 0 };

/** A directory with a log in it that no daemon has written. */
async function directoryWith(text: string): Promise<string> {
  const directory = await files.createDirectory();
  await writeFile(join(directory, 'audit.jsonl'), text);
  return directory;
}

const blocksIn = async ({ reads }: StateDatabase) =>
  (await reads.selectFrom('audit_blocks').select(['first_seq', 'count']).orderBy('first_seq').execute()).map(
    (row) => [row.first_seq, row.count] as const,
  );

const whole = [
  [1, 1024],
  [1025, 1024],
  [2049, 1024],
  [3073, 1024],
];

const untilSaved = (database: StateDatabase, blocks: number) =>
  expect.poll(async () => (await blocksIn(database)).length, { interval: 5 }).toBeGreaterThanOrEqual(blocks);

describe('the index of a log of several blocks', () => {
  const filters: readonly AuditFilter[] = [
    {},
    { capability_id: 's.t3' },
    { actor_id: 'ä1', status: 'failed' },
    { start_ms: Date.UTC(2026, 0, 2) + 1_500_000, end_ms: Date.UTC(2026, 0, 2) + 2_600_000 },
    { trace_id: 'trace-4321' },
    { request_id: 'request-3' },
    { approval_id: 'appr-4005-1' },
    { idempotency_key: 'key-9', actor_id: 'ä0' },
    { request_id: 'request-18', approval_id: 'appr-18-1' },
    { request_id: 'appr-18-1' },
    { request_or_approval: 'appr-18-1' },
    { request_or_approval: 'request-18', actor_id: 'ä0' },
    { client: 'agent-8', channel: 'stdio' },
    { client: 'agent-7' },
    { channel: 'ui' },
    { q: 'TRACE-43' },
    { q: '"' },
    { server_id: 'none' },
  ];

  it('answers as a search through all records would', async () => {
    const log = await files.open(await directoryWith(chain.text));
    for (const filter of filters) {
      const expected = chain.records.filter((record) => matchesFilter(record, filter));
      expect(await recordsOf(log, filter)).toEqual(expected);
      for (const [limit, offset] of [
        [50, 0],
        [3, 2],
        [100, 1000],
        [2000, 3500],
      ] as const) {
        expect(await log.list(filter, { limit, offset })).toEqual({
          events: expected.toReversed().slice(offset, offset + limit),
          total: expected.length,
        });
      }
    }
    for (const seq of [1, 1024, 1025, 4096, 4097, count]) {
      expect(await log.get(`aud-${String(seq).padStart(12, '0')}`)).toEqual(chain.records[seq - 1]);
    }
    expect((await log.stats()).total_events).toBe(count);
    const followed: unknown[] = [];
    for (let seq = 0; ; ) {
      const portion = await log.after(seq, { maxRecords: 300, maxCharacters: 1_000_000 });
      if (portion.length === 0) break;
      followed.push(...portion);
      seq = portion.at(-1)?.seq ?? seq;
    }
    expect(followed).toEqual(chain.records);
  });

  it('is saved in blocks, and goes on from them', async () => {
    const directory = await directoryWith(chain.text);
    const first = await files.open(directory);
    expect((await first.list({}, { limit: 1, offset: 0 })).total).toBe(count);
    await first.close();
    expect(await blocksIn(first.database)).toEqual(whole);
    const second = await files.open(directory, { database: first.database });
    for (const draft of draftsOf(200)) await second.append(draft);
    expect((await second.list({}, { limit: 1, offset: 0 })).total).toBe(count + 200);
    await untilSaved(first.database, 5);
    expect(await blocksIn(first.database)).toEqual([...whole, [4097, 1024]]);
    expect(second.lines).toEqual([]);
    expect(await second.verify()).toMatchObject({ is_valid: true });
  });

  it('takes records in that are appended while it is being built', async () => {
    const log = await files.open(await directoryWith(chain.text), { flushIntervalMs: 1 });
    for (const draft of draftsOf(300)) {
      await log.append(draft);
      await setTimeout(0);
    }
    expect((await log.list({}, { limit: 1, offset: 0 })).total).toBe(count + 300);
    expect((await recordsOf(log)).map(({ seq }) => seq)).toEqual(Array.from({ length: count + 300 }, (_, i) => i + 1));
  });
});

describe('a lookup by an id', () => {
  it('reads no block that cannot hold it, once blocks are saved', async () => {
    const directory = await directoryWith(chain.text);
    const first = await files.open(directory);
    await first.list({}, all);
    await first.close();
    const { reads } = first.database;
    const store = createBlockStore(first.database, join(directory, 'audit.jsonl'));
    const blocksWith = async (id: string) => {
      const found: number[] = [];
      for await (const { firstSeq } of store.holding(count, {}, [idNumber(id)])) found.push(firstSeq);
      return found;
    };
    expect(await blocksWith('appr-4005-1')).toEqual([3073]);
    expect(await blocksWith('request-3')).toEqual([3073, 1025, 1]);
    expect(await blocksWith('no id of any record')).toEqual([]);
    const filters = await reads.selectFrom('audit_block_ids').select('id_filter').execute();
    const bytes = filters.reduce((sum, { id_filter }) => sum + id_filter.length, 0);
    expect(bytes / 4096).toBeLessThan(3.5); // of some 2.1 ids a record
  });
});

describe('an index that does not fit is built again', () => {
  it.each<[string, (database: StateDatabase) => Promise<unknown>]>([
    [
      'since ids of a block are gone',
      ({ write }) => write((trx) => trx.deleteFrom('audit_block_ids').where('first_seq', '=', 1025).execute()),
    ],
    ['since it is gone', ({ write }) => write((trx) => trx.deleteFrom('audit_blocks').execute())],
    [
      'since its end is gone',
      ({ write }) => write((trx) => trx.deleteFrom('audit_blocks').where('first_seq', '>', 2000).execute()),
    ],
    [
      'since it is of another log',
      ({ write }) =>
        write((trx) =>
          trx
            .updateTable('audit_blocks')
            .set({ hash: 'f'.repeat(64) })
            .execute(),
        ),
    ],
    [
      'since it is of another version',
      ({ write }) => write((trx) => trx.updateTable('audit_blocks').set({ format: 0 }).execute()),
    ],
  ])('%s', async (_why, damage) => {
    const directory = await directoryWith(chain.text);
    const first = await files.open(directory);
    await first.list({}, all);
    await first.close();
    await damage(first.database);
    const second = await files.open(directory, { database: first.database });
    expect((await second.list({}, all)).events).toEqual(chain.records.toReversed());
    await untilSaved(first.database, 4);
    expect(await blocksIn(first.database)).toEqual(whole);
  });

  it('when the file is another one', async () => {
    const directory = await directoryWith(chain.text);
    const first = await files.open(directory);
    await first.list({}, all);
    await first.close();
    const other = chainOf(draftsOf(2000).slice(1));
    await writeFile(join(directory, 'audit.jsonl'), other.text);
    const second = await files.open(directory, { database: first.database });
    expect((await second.list({ event_type: 'tool_call' }, all)).events).toEqual(other.records.toReversed());
    expect((await second.list({ event_type: 'audit_gap' }, all)).total).toBe(1);
  });
});

describe('a log with lines that were edited', () => {
  it.each<[string, (lines: readonly string[]) => readonly string[], (seq: number) => boolean]>([
    ['one is no record', (lines) => lines.with(1500, 'x'), (seq) => seq !== 1501],
    ['one is gone', (lines) => lines.toSpliced(1500, 1), (seq) => seq !== 1501],
    ['one is there twice', (lines) => lines.toSpliced(1501, 0, lines[1500] ?? ''), () => true],
    [
      'two have changed places',
      (lines) => lines.with(10, lines[11] ?? '').with(11, lines[10] ?? ''),
      (seq) => seq !== 11,
    ],
  ])('is read without them where %s', async (_what, change, remains) => {
    const directory = await directoryWith(`${change(chain.lines).join('\n')}\n`);
    const log = await files.open(directory);
    const expected = chain.records.filter(({ seq }) => remains(seq));
    expect(await log.list({}, all)).toEqual({ events: expected.toReversed(), total: expected.length });
    expect(await recordsOf(log)).toEqual(expected);
    expect(await log.get('aud-000000001502')).toEqual(chain.records[1501]);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(await log.verify()).toMatchObject({ is_valid: false });
    await log.append(draftOf());
    expect((await log.list({}, { limit: 1, offset: 0 })).events[0]?.seq).toBe(count + 1);
  });

  it('is read without a line that was changed after it had been indexed', async () => {
    const directory = await directoryWith(chain.text);
    const log = await files.open(directory);
    expect((await log.list({}, all)).total).toBe(count);
    const content = await readFile(join(directory, 'audit.jsonl'), 'utf8');
    await writeFile(join(directory, 'audit.jsonl'), content.replace('trace-2000', 'trace-zzzz'));
    expect((await log.list({}, all)).events).toHaveLength(count); // a record, though not the one that was sealed
    await writeFile(join(directory, 'audit.jsonl'), content.replace('"trace-2000"', '"trace-2000 '));
    expect((await log.list({}, all)).events).toHaveLength(count - 1);
    expect(await log.get('aud-000000002001')).toBeUndefined();
    expect(await recordsOf(log)).toHaveLength(count - 1);
    expect((await log.after(2000, { maxRecords: 1, maxCharacters: 1000 })).map(({ seq }) => seq)).toEqual([2002]);
  });
});

describe('an index that cannot be kept', () => {
  it('stays in memory, fails no append, and is saved with the next block', async () => {
    const directory = await directoryWith('');
    const database = await files.openDatabase(directory);
    let isFailing = true;
    const write: StateDatabase['write'] = (task) =>
      isFailing ? Promise.reject(new Error('full')) : database.write(task);
    const log = await files.open(directory, { database: { ...database, write } });
    // To clear what is not there needs a write too: until then the index is tried again.
    isFailing = false;
    await log.close();
    const again = await files.open(directory, { database: { ...database, write } });
    await again.list({}, all);
    isFailing = true;
    for (const draft of draftsOf(2500)) await again.append(draft);
    expect((await again.list({}, { limit: 1, offset: 0 })).total).toBe(2500);
    expect(again.lines.filter(({ message }) => message.includes('cannot be saved; it is kept in memory'))).toHaveLength(
      1,
    );
    isFailing = false;
    for (const draft of draftsOf(1000)) await again.append(draft);
    expect((await again.list({}, { limit: 1, offset: 0 })).total).toBe(3500);
    await untilSaved(database, 3);
    expect(await blocksIn(database)).toEqual(whole.slice(0, 3));
  });

  it('makes queries fail with how far it is, after a while, and appends do not wait', async () => {
    const directory = await directoryWith(chain.text);
    const database = await files.openDatabase(directory);
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const write: StateDatabase['write'] = async (task) => gate.then(() => database.write(task));
    const log = await files.open(directory, { database: { ...database, write }, patienceMs: 100 });
    await log.append(draftOf());
    await expect(log.stats()).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringMatching(/^the index of the audit log is being built \(\d+ %\)$/),
    });
    release();
    await expect.poll(async () => (await log.stats()).total_events).toBe(count + 1);
  });
});
