// Logins that are kept: they outlive the process, are sealed on disk, and are dropped when they cannot be opened.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { StateDatabase } from '../database.js';
import { useDatabases } from '../testing/use-databases.js';
import { createOAuthRecords } from './oauth-records.js';
import type { SealKey } from './seal.js';

const { temp, postgres, sqlites } = await useDatabases();

const databases: readonly (readonly [string, () => Promise<StateDatabase>])[] = [
  ...sqlites.map(({ name, open }) => [name, () => open()] as const),
  ['PostgreSQL', () => postgres.open()],
];

const newKey = (home: SealKey['home'] = 'file'): SealKey => ({ home, bytes: randomBytes(32) });
const sealKey = newKey();
const key = { server: 's', issuer: 'https://as.test' };
const canary = 'canary-refresh-token';
const record = { tokens: { accessToken: 'naïve 🎉', refreshToken: canary } };

function recordsIn(database: StateDatabase, given = sealKey) {
  const logged: unknown[] = [];
  const openKey = async () => given;
  const records = createOAuthRecords<object>(database, { openKey, log: (...line) => logged.push(line) });
  return { ...records, logged };
}

interface Tampering {
  readonly how: string;
  readonly keptOf?: string;
  readonly tamper?: (database: StateDatabase) => Promise<unknown>;
}

const tamperings: readonly Tampering[] = [
  { how: 'changed', tamper: (database) => change(database, (sealed) => sealed.fill(1, 40)) },
  { how: 'cut off', tamper: (database) => change(database, (sealed) => sealed.subarray(0, 20)) },
  {
    how: 'moved to another server',
    keptOf: 't',
    tamper: ({ write }) =>
      write((trx) => trx.updateTable('oauth').set({ server: 's' }).where('server', '=', 't').execute()),
  },
];

describe.each(databases)('logins in %s', (_where, open) => {
  test('keeps a record, replaces it as a whole, and deletes it', async () => {
    const records = recordsIn(await open());
    expect(await records.get(key)).toBeUndefined();
    await records.set(key, record);
    expect(await records.get(key)).toEqual(record);
    await records.set(key, { other: 1 });
    expect(await records.get(key)).toEqual({ other: 1 });
    await records.delete(key);
    expect(await records.get(key)).toBeUndefined();
  });

  test('keeps records by server and issuer, and lets go of those of others', async () => {
    const records = recordsIn(await open());
    const other = { ...key, issuer: 'https://other.test' };
    const stranger = { ...key, server: 't' };
    for (const each of [key, other, stranger]) await records.set(each, { each });
    expect(await records.get(other)).toEqual({ each: other });
    await records.deleteOthers(key);
    expect([await records.get(key), await records.get(other)]).toEqual([{ each: key }, undefined]);
    await records.retain(['s', 'u']);
    expect([await records.get(key), await records.get(stranger)]).toEqual([{ each: key }, undefined]);
    await records.retain([]);
    expect(await records.get(key)).toBeUndefined();
  });

  test.each(tamperings)('drops a record that was $how, says so once, and keeps the next', async (tampering) => {
    const database = await open();
    await recordsIn(database).set({ ...key, server: tampering.keptOf ?? 's' }, record);
    await tampering.tamper?.(database);
    const records = recordsIn(database);
    expect([await records.get(key), await records.get(key)]).toEqual([undefined, undefined]);
    const message = 'the login that was kept cannot be opened and is forgotten; log in again';
    expect(records.logged).toEqual([['warn', message, { server: 's' }]]);
    await records.set(key, record);
    expect(await records.get(key)).toEqual(record);
  });

  test('leaves a record that was sealed with another key, says so once, deletes only its own, and finds it when the key is back', async () => {
    const database = await open();
    await recordsIn(database).set(key, record);
    const other = recordsIn(database, newKey());
    expect([await other.get(key), await other.get(key)]).toEqual([undefined, undefined]);
    const message = 'the login that was kept was sealed with another key; log in again';
    expect(other.logged).toEqual([['warn', message, { server: 's' }]]);
    await other.set(key, { other: 1 });
    expect(await other.get(key)).toEqual({ other: 1 });
    const { get, retain, logged } = recordsIn(database);
    expect([await get(key), logged]).toEqual([record, []]);
    await other.delete(key);
    expect([await get(key), await other.get(key)]).toEqual([record, undefined]);
    await other.set(key, { other: 1 });
    await retain(['s']);
    await retain([]);
    expect([await get(key), await other.get(key)]).toEqual([undefined, undefined]);
  });

  test('reports, when the key is opened, whether a key of the keyring is in use', async () => {
    const database = await open();
    const notified: boolean[] = [];
    const recordsWith = (given: SealKey) =>
      createOAuthRecords<object>(database, {
        log: () => {},
        async openKey(isKeyringUsed) {
          notified.push(isKeyringUsed);
          return given;
        },
      });
    await recordsWith(sealKey).set(key, record);
    await recordsWith(newKey('keyring')).set(key, record);
    await recordsWith(sealKey).get(key);
    expect(notified).toEqual([false, false, true]);
  });

  test('opens the key when it is first needed, once, and again after that failed', async () => {
    const database = await open();
    let opened = 0;
    const records = createOAuthRecords<object>(database, {
      log: () => {},
      async openKey() {
        opened += 1;
        if (opened === 1) throw new Error('not now');
        return sealKey;
      },
    });
    await records.get(key);
    await records.retain([]);
    expect(opened).toBe(0);
    await expect(records.set(key, record)).rejects.toThrow('not now');
    await Promise.all([records.set(key, record), records.set(key, record)]);
    expect(await records.get(key)).toEqual(record);
    expect(opened).toBe(2);
  });
});

test('stays where another daemon on the database has no such server', async () => {
  const database = await postgres.open();
  const records = recordsIn(database);
  await records.set(key, record);
  const other = recordsIn(database);
  await other.retain(['t']);
  await other.retain(['t', 'u']);
  expect(await records.get(key)).toEqual(record);
  await other.retain(['s', 't']);
  await other.retain(['t']);
  expect(await records.get(key)).toBeUndefined();
});

test.each(sqlites)('outlives the process, and is nowhere in the clear in $name', async ({ open }) => {
  const directory = await temp.create();
  const first = await open(directory);
  await recordsIn(first).set(key, record);
  for (const name of await readdir(directory)) {
    expect((await readFile(join(directory, name))).includes(canary)).toBe(false);
  }
  await first.close();
  expect((await readFile(join(directory, 'state.db'))).includes(canary)).toBe(false);
  expect(await recordsIn(await open(directory)).get(key)).toEqual(record);
});

const change = ({ reads, write }: StateDatabase, edit: (sealed: Buffer) => Buffer) =>
  reads
    .selectFrom('oauth')
    .select('sealed')
    .executeTakeFirstOrThrow()
    .then(({ sealed }) =>
      write((trx) =>
        trx
          .updateTable('oauth')
          .set({ sealed: edit(Buffer.from(sealed)) })
          .execute(),
      ),
    );

describe.each(databases)('a login in %s', (_name, open) => {
  test('is processed by one caller at a time, at the same time as another record', async () => {
    const records = recordsIn(await open());
    const order: string[] = [];
    let letGo = () => {};
    const first = records.exclusively(key, async () => {
      order.push('first');
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
      order.push('first ends');
      throw new Error('no');
    });
    const second = records.exclusively(key, async () => void order.push('second'));
    await records.exclusively({ ...key, server: 't' }, async () => void order.push('other'));
    letGo();
    await expect(first).rejects.toThrow('no');
    await second;
    expect(order).toEqual(['first', 'other', 'first ends', 'second']);
  });
});

test('a login in PostgreSQL is processed by one daemon at a time, and by the next when that one has ended', async () => {
  const url = await postgres.create();
  const [a, b] = [await postgres.open(url), await postgres.open(url)];
  const order: string[] = [];
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const isHeld = new Promise<void>((resolve) => {
    void recordsIn(a).exclusively(key, async () => {
      resolve();
      await held;
      order.push('a');
    });
  });
  await isHeld;
  const later = recordsIn(b).exclusively(key, async () => void order.push('b'));
  await recordsIn(b).exclusively({ ...key, server: 't' }, async () => void order.push('other'));
  letGo();
  await later;
  expect(order).toEqual(['other', 'a', 'b']);
  await new Promise<void>((resolve) => {
    recordsIn(a)
      .exclusively(key, () => new Promise<void>(() => resolve()))
      .catch(() => {});
  });
  const taken = recordsIn(b).exclusively(key, async () => 'taken');
  await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and objsubid = 1`.execute(
    b.reads,
  );
  expect(await taken).toBe('taken');
});
