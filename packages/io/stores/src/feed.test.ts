// The behaviour of every store of the change feed: one suite over every implementation.
import type { CatalogEvent } from '@portico/contracts';
import {
  createMemoryFeedStore,
  type FeedChange,
  type FeedStore,
  type KnownEntry,
  type KnownKey,
} from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { createFeedStore } from './feed.js';
import { useDatabases } from './testing/use-databases.js';

const { postgres, sqlites } = await useDatabases();

const implementations: readonly (readonly [string, () => Promise<FeedStore>])[] = [
  ['memory', async () => createMemoryFeedStore()],
  ...sqlites.map(({ name, open }) => [name, async () => createFeedStore(await open())] as const),
  ['PostgreSQL', async () => createFeedStore(await postgres.open())],
];

const entryOf = (id: string, digest = 'd1'): KnownEntry => ({ objectType: 'capability', id, server: 's', digest });
const eventOf = (
  number: number,
  { objectType: object_type, id: object_id }: KnownKey,
  change_type: CatalogEvent['change_type'],
): CatalogEvent => ({
  id: `evt-${number}`,
  timestamp: 1_760_000_000,
  object_type,
  object_id,
  change_type,
  catalog_version: 'sha256:0',
});
/** New entries, numbered from one. */
const addition = (from: number, count: number, named = (number: number) => `s.${10_000 + number}`): FeedChange => {
  const listed = Array.from({ length: count }, (_, index) => entryOf(named(from + index)));
  return { listed, unlisted: [], events: listed.map((entry, index) => eventOf(from + index, entry, 'added')) };
};
const byId = (entries: readonly KnownEntry[]) => [...entries].sort((a, b) => (a.id < b.id ? -1 : 1));

describe.each(implementations)('a feed in %s', (_name, open) => {
  it('is empty at first', async () => {
    expect(await (await open()).load(10)).toEqual({ known: [], events: [] });
  });

  it('keeps what was listed last, and the events in their order', async () => {
    const store = await open();
    const prompt: KnownEntry = { ...entryOf('s.nie 🙅'), objectType: 'prompt' };
    const listed = [entryOf('s.nie 🙅'), prompt, entryOf('s.b')];
    const first = listed.map((entry, index) => eventOf(index + 1, entry, 'added'));
    await store.append({ events: first, listed, unlisted: [] }, 10);
    const gone = [entryOf('s.b'), prompt];
    const updated = entryOf('s.nie 🙅', 'd2');
    const second = [
      ...gone.map((entry, index) => eventOf(index + 4, entry, 'removed')),
      eventOf(6, updated, 'updated'),
    ];
    await store.append({ events: second, listed: [updated], unlisted: gone }, 10);
    const { known, events } = await store.load(10);
    expect([known, events]).toEqual([[updated], [...first, ...second]]);
  });

  it('leaves out what is so already, and names a change by what was there', async () => {
    const store = await open();
    const [a, b] = [entryOf('s.a'), entryOf('s.b')];
    const added = [eventOf(1, a, 'added'), eventOf(2, b, 'added')];
    await store.append({ events: added, listed: [a, b], unlisted: [] }, 10);
    const again = [eventOf(3, a, 'updated'), eventOf(4, b, 'updated'), eventOf(5, entryOf('s.c'), 'removed')];
    await store.append({ events: again, listed: [a, entryOf('s.b', 'd2')], unlisted: [entryOf('s.c')] }, 10);
    await store.append({ events: [eventOf(6, b, 'removed')], listed: [], unlisted: [b] }, 10);
    await store.append({ events: [eventOf(7, b, 'updated')], listed: [b], unlisted: [] }, 10);
    const { known, events } = await store.load(10);
    expect([byId(known), events.map(({ id, change_type }) => `${id} ${change_type}`)]).toEqual([
      [a, b],
      ['evt-1 added', 'evt-2 added', 'evt-4 updated', 'evt-6 removed', 'evt-7 added'],
    ]);
  });

  it('takes ids as long as upstreams make them', async () => {
    const store = await open();
    const id = `s.data:${Array.from({ length: 20_000 }, (_, i) => ((i * 7919) % 9973).toString(36)).join('')}`;
    await store.append(
      addition(1, 1, () => id),
      10,
    );
    const updated = entryOf(id, 'd2');
    await store.append({ events: [eventOf(2, updated, 'updated')], listed: [updated], unlisted: [] }, 10);
    const { known, events } = await store.load(10);
    expect([known, events.map(({ change_type }) => change_type)]).toEqual([[updated], ['added', 'updated']]);
  });

  it('gives up the oldest events beyond the limit', async () => {
    const store = await open();
    const { events } = addition(1, 5);
    await store.append(addition(1, 5), 3);
    expect((await store.load(10)).events).toEqual(events.slice(2));
    expect((await store.load(2)).events).toEqual(events.slice(3));
  });

  it('takes a change of thousands of entries', async () => {
    const store = await open();
    const change = addition(1, 2500);
    await store.append(change, 5000);
    const { known, events } = await store.load(5000);
    expect([byId(known), events]).toEqual([change.listed, change.events]);
    const gone = change.listed.map((entry, index) => eventOf(3000 + index, entry, 'removed'));
    await store.append({ events: gone, listed: [], unlisted: change.listed }, 5000);
    expect((await store.load(5000)).known).toEqual([]);
  });

  it('says whether others write to it', async () => {
    const isShared = (await open()).shared !== undefined;
    expect(isShared).toBe(_name === 'PostgreSQL');
  });
});
