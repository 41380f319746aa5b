// The behaviour of every store of definitions: one suite over every implementation.
import type { UpstreamDefinitions } from '@portico/contracts';
import { createMemoryDefinitionStore, type DefinitionStore, type StoredDefinitions } from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { createDefinitionStore } from './definitions.js';
import { useDatabases } from './testing/use-databases.js';

const { temp, postgres, sqlites } = await useDatabases();

const implementations: readonly (readonly [string, () => Promise<DefinitionStore>])[] = [
  ['memory', async () => createMemoryDefinitionStore()],
  ...sqlites.map(({ name, open }) => [name, async () => createDefinitionStore(await open())] as const),
  ['PostgreSQL', async () => createDefinitionStore(await postgres.open())],
];

const definitions: UpstreamDefinitions = {
  tools: [{ name: 'nie 🙅 \u0000 \ud800', inputSchema: { type: 'object' }, icons: [null] } as never],
  resources: [{ uri: 'x:y', name: 'y', _meta: JSON.parse('{"__proto__": 1}') }],
  resourceTemplates: [{ uriTemplate: 'x:{y}', name: 'z' }],
  prompts: [{ name: 'p', arguments: [{ name: 'a', required: true }] }],
};
const storedOf = (server: string, more: Partial<StoredDefinitions> = {}): StoredDefinitions => ({
  server,
  fingerprint: 'f1',
  traits: { protocolVersion: '2026-07-28', hasTasks: true },
  definitions,
  ...more,
});
const byServer = (all: readonly StoredDefinitions[]) => [...all].sort((a, b) => (a.server < b.server ? -1 : 1));

describe.each(implementations)('definitions in %s', (_name, open) => {
  it('start empty', async () => {
    expect(await (await open()).load()).toEqual([]);
  });

  it('are given as they were kept, the newest of each server', async () => {
    const store = await open();
    await store.save(storedOf('a'));
    await store.save(storedOf('b'));
    const newer = storedOf('a', { fingerprint: 'f2', traits: { protocolVersion: '2025-11-25', hasTasks: false } });
    await store.save(newer);
    expect(byServer(await store.load())).toStrictEqual([newer, storedOf('b')]);
  });

  it('go with their servers', async () => {
    const store = await open();
    for (const server of ['a', 'b', 'c']) await store.save(storedOf(server));
    await store.retain(['b', 'nothing']);
    expect(await store.load()).toEqual([storedOf('b')]);
    await store.retain([]);
    expect(await store.load()).toEqual([]);
  });
});

it('stay where another daemon on the database has no such server', async () => {
  const database = await postgres.open();
  const [store, other] = [createDefinitionStore(database), createDefinitionStore(database)];
  await store.save(storedOf('a'));
  await other.retain(['b']);
  await other.save(storedOf('b'));
  await other.retain([]);
  expect(await store.load()).toEqual([storedOf('a')]);
  await store.retain([]);
  expect(await store.load()).toEqual([]);
});

describe.each(sqlites)('definitions in $name', ({ open }) => {
  it('are there after it was closed', async () => {
    const directory = await temp.create();
    const first = await open(directory);
    await createDefinitionStore(first).save(storedOf('a'));
    await first.close();
    const store = createDefinitionStore(await open(directory));
    expect(await store.load()).toStrictEqual([storedOf('a')]);
  });

  it('are left out where their text cannot be read', async () => {
    const database = await open();
    const store = createDefinitionStore(database);
    for (const server of ['a', 'b']) await store.save(storedOf(server));
    await database.write(async (trx) => {
      await trx.updateTable('definitions').set({ definitions: '{' }).where('server', '=', 'a').execute();
    });
    expect(await store.load()).toEqual([storedOf('b')]);
  });
});
