// What every store of the change feed does, whatever it keeps it in: one suite over every implementation.

import type { CatalogEvent } from '@portico/contracts';
import { createMemoryFeedStore, type FeedStore, type KnownEntry } from '@portico/control-plane';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFeedStore } from './feed.js';
import { createPostgresDatabases, startLimitMs } from './testing/postgres-databases.js';
import { createTempDirectories } from './testing/temp-directory.js';

const temp = createTempDirectories();
const postgres = createPostgresDatabases();

beforeAll(postgres.start, startLimitMs);
afterEach(() => Promise.all([temp.removeAll(), postgres.closeAll()]));
afterAll(() => postgres.close());

const implementations: readonly (readonly [string, () => Promise<FeedStore>])[] = [
  ['memory', async () => createMemoryFeedStore()],
  ['SQLite', async () => createFeedStore(await temp.openDatabase())],
  ['PostgreSQL', async () => createFeedStore(await postgres.open())],
];

const entryOf = (id: string, digest = 'd1'): KnownEntry => ({ objectType: 'capability', id, server: 's', digest });
const eventOf = (number: number): CatalogEvent => ({
  id: `evt-${number}`,
  timestamp: 1_760_000_000,
  object_type: 'prompt',
  object_id: 's.nie 🙅',
  change_type: 'added',
  catalog_version: 'sha256:0',
});
const events = (from: number, count: number) => Array.from({ length: count }, (_, index) => eventOf(from + index));
const byId = (entries: readonly KnownEntry[]) => [...entries].sort((a, b) => (a.id < b.id ? -1 : 1));

describe.each(implementations)('a feed in %s', (_name, open) => {
  it('is empty at first', async () => {
    expect(await (await open()).load(10)).toEqual({ known: [], events: [] });
  });

  it('keeps what was listed last, and the events in their order', async () => {
    const store = await open();
    const prompt: KnownEntry = { ...entryOf('s.a'), objectType: 'prompt' };
    await store.append({ events: events(1, 2), listed: [entryOf('s.a'), prompt, entryOf('s.b')], unlisted: [] }, 10);
    await store.append(
      { events: events(3, 1), listed: [entryOf('s.a', 'd2')], unlisted: [entryOf('s.b'), prompt] },
      10,
    );
    const { known, events: kept } = await store.load(10);
    expect([known, kept]).toEqual([[entryOf('s.a', 'd2')], events(1, 3)]);
  });

  it('takes ids as long as upstreams make them', async () => {
    const store = await open();
    const id = `s.data:${Array.from({ length: 20_000 }, (_, i) => ((i * 7919) % 9973).toString(36)).join('')}`;
    await store.append({ events: [{ ...eventOf(1), object_id: id }], listed: [entryOf(id)], unlisted: [] }, 10);
    await store.append({ events: [], listed: [entryOf(id, 'd2')], unlisted: [] }, 10);
    expect((await store.load(10)).known).toEqual([entryOf(id, 'd2')]);
  });

  it('gives up the oldest events beyond the limit', async () => {
    const store = await open();
    await store.append({ events: events(1, 5), listed: [], unlisted: [] }, 3);
    expect((await store.load(10)).events).toEqual(events(3, 3));
    expect((await store.load(2)).events).toEqual(events(4, 2));
  });

  it('takes a change of thousands of entries', async () => {
    const store = await open();
    const listed = Array.from({ length: 2500 }, (_, index) => entryOf(`s.${10_000 + index}`));
    await store.append({ events: events(1, 2500), listed, unlisted: [] }, 5000);
    const { known, events: kept } = await store.load(5000);
    expect([byId(known), kept]).toEqual([listed, events(1, 2500)]);
  });
});
