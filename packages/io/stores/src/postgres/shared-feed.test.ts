// One change feed for several processes on a database: each change once, in one order, wherever it is read.
import type { CatalogEvent } from '@portico/contracts';
import type { FeedChange, FeedStore, SharedFeed } from '@portico/control-plane';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createFeedStore } from '../feed.js';
import { createPostgresDatabases, startLimitMs } from '../testing/postgres-databases.js';

const postgres = createPostgresDatabases();

beforeAll(postgres.start, startLimitMs);
afterEach(() => postgres.closeAll());
afterAll(() => postgres.close());

let count = 0;

/** A change of one entry, as another process reports it each time. */
function changeOf(id: string, digest: string): FeedChange {
  count += 1;
  const event: CatalogEvent = {
    id: `evt-${count}`,
    timestamp: 1,
    object_type: 'capability',
    object_id: id,
    change_type: 'added',
    catalog_version: 'sha256:0',
  };
  return { events: [event], listed: [{ objectType: 'capability', id, server: 's', digest }], unlisted: [] };
}

function sharedOf({ shared }: FeedStore): SharedFeed {
  if (shared === undefined) throw new Error('the feed is not shared');
  return shared;
}

async function openBoth(url: string) {
  const [a, b] = [createFeedStore(await postgres.open(url)), createFeedStore(await postgres.open(url))];
  return { a, b, pages: () => Promise.all([a, b].map((store) => sharedOf(store).events(100))) };
}

it('has a change once that several note at once, and all changes in one order', async () => {
  const { a, b, pages } = await openBoth(await postgres.create());
  const steps = Array.from({ length: 20 }, (_, step) => step);
  const work = [a, b].map(async (store, which) => {
    for (const step of steps) {
      await store.append(changeOf(`s.both${step}`, 'd'), 100);
      await store.append(changeOf(`s.own${which}.${step}`, 'd'), 100);
      if (step === 10) await sharedOf(store).events(100); // the rest is read when it comes
    }
  });
  await Promise.all(work);
  const [ofA = [], ofB] = await pages();
  expect(ofA).toEqual(ofB);
  expect(ofA).toHaveLength(60);
  expect(new Set(ofA.map(({ object_id }) => object_id)).size).toBe(60);
  expect((await a.load(100)).events).toEqual(ofA);
});

it('notifies all processes of a new change, the writer too, and none of a known one', async () => {
  const { a, b } = await openBoth(await postgres.create());
  const received: string[] = [];
  const ends = [a, b].map((store, which) => sharedOf(store).follow(() => received.push('ab'.charAt(which))));
  await a.append(changeOf('s.x', 'd1'), 100);
  await expect.poll(() => [...received].sort()).toEqual(['a', 'b']);
  await b.append(changeOf('s.x', 'd1'), 100);
  ends[0]?.();
  await b.append(changeOf('s.x', 'd2'), 100);
  await expect.poll(() => [...received].sort()).toEqual(['a', 'b', 'b']);
  expect((await sharedOf(a).events(100)).map(({ change_type }) => change_type)).toEqual(['added', 'updated']);
});

it('reports changes that were made while the database was unreachable', async () => {
  const url = await postgres.create();
  const { a, b } = await openBoth(url);
  let received = 0;
  sharedOf(b).follow(() => {
    received += 1;
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
  await expect.poll(() => received).toBeGreaterThan(0);
  await expect
    .poll(() =>
      a.append(changeOf('s.y', 'd'), 100).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await expect.poll(async () => (await sharedOf(b).events(100)).length).toBe(1);
});
