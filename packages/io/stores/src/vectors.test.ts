// The behaviour of every store of vectors: one suite over every implementation.
import { createMemoryVectorStore, type StoredVector, type VectorStore } from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { useDatabases } from './testing/use-databases.js';
import { createVectorStore } from './vectors.js';

const { temp, postgres, sqlites } = await useDatabases();

const implementations: readonly (readonly [string, () => Promise<VectorStore>])[] = [
  ['memory', async () => createMemoryVectorStore()],
  ...sqlites.map(({ name, open }) => [name, async () => createVectorStore(await open())] as const),
  ['PostgreSQL', async () => createVectorStore(await postgres.open())],
];

const vectorOf = (digest: string, ...values: readonly number[]): StoredVector => ({
  digest,
  vector: Float32Array.from(values),
});
const byDigest = (vectors: readonly StoredVector[]) => [...vectors].sort((a, b) => (a.digest < b.digest ? -1 : 1));

describe.each(implementations)('vectors in %s', (_name, open) => {
  it('are given as they were kept, those that are there', async () => {
    const store = await open();
    const kept = [vectorOf('a', 0.1, -2.5e-8, 3e20), vectorOf('b', 1)];
    await store.save('m', kept, 1);
    expect(byDigest(await store.load('m', ['b', 'nothing', 'a']))).toEqual(kept);
    expect(await store.load('m', [])).toEqual([]);
  });

  it('of different models are different vectors', async () => {
    const store = await open();
    await store.save('m', [vectorOf('a', 1)], 1);
    await store.save('n', [vectorOf('a', 2)], 1);
    expect(await store.load('m', ['a'])).toEqual([vectorOf('a', 1)]);
    expect(await store.load('n', ['a'])).toEqual([vectorOf('a', 2)]);
  });

  it('give way to newer ones', async () => {
    const store = await open();
    await store.save('m', [vectorOf('a', 1)], 1);
    await store.save('m', [vectorOf('a', 1, 2)], 2);
    expect(await store.load('m', ['a'])).toEqual([vectorOf('a', 1, 2)]);
  });

  it('go once they have not been in use for long', async () => {
    const store = await open();
    await store.save('m', [vectorOf('a', 1), vectorOf('b', 1)], 10);
    await store.save('n', [vectorOf('b', 1)], 10);
    await store.touch('m', ['b', 'nothing'], 20);
    await store.purge(20);
    expect(await store.load('m', ['a', 'b'])).toEqual([vectorOf('b', 1)]);
    expect(await store.load('n', ['b'])).toEqual([]);
  });

  it('come by the thousand', async () => {
    const store = await open();
    const many = Array.from({ length: 1200 }, (_, at) => vectorOf(String(10_000 + at), at));
    await store.save('m', many, 1);
    const digests = many.map(({ digest }) => digest);
    await store.touch('m', digests, 2);
    expect(byDigest(await store.load('m', digests))).toEqual(many);
  });
});

it.each(sqlites)('vectors in $name are there after it was closed', async ({ open }) => {
  const directory = await temp.create();
  const first = await open(directory);
  await createVectorStore(first).save('m', [vectorOf('a', 0.5)], 1);
  await first.close();
  const store = createVectorStore(await open(directory));
  expect(await store.load('m', ['a'])).toEqual([vectorOf('a', 0.5)]);
});
