// The change feed in the state database: the newest events, and the last listed entries. A writer reads and writes in
// one exclusive transaction, so that the events of several processes are one list without repetitions.
import { setImmediate } from 'node:timers/promises';
import type { CatalogEvent } from '@portico/contracts';
import {
  entryKey,
  type FeedStore,
  type KnownEntry,
  type KnownKey,
  type SharedFeed,
  settleChange,
} from '@portico/control-plane';
import { type Kysely, sql, type Transaction } from 'kysely';
import { inChunks } from './chunks.js';
import type { StateDatabase } from './database.js';
import type { Tables } from './tables.js';

/** Rows of one statement. With SQLite that takes some milliseconds, after which everything else has its turn. */
const perStatement = 100;

/** Creates the store of catalog events. */
export function createFeedStore({ reads, write, signals }: StateDatabase): FeedStore {
  return {
    async load(maxEvents) {
      const entries = await reads.selectFrom('catalog_entries').selectAll().execute();
      const rows = await newestEvents(reads, 0, maxEvents);
      return {
        known: entries.map(({ object_type: objectType, ...entry }) => ({ objectType, ...entry })),
        events: rows.map(toEvent),
      };
    },
    append: (change, maxEvents) =>
      write(async (trx) => {
        // Nothing is committed between a look at it and a change of it, and events are numbered as they are committed.
        if (signals.isShared) await sql`lock table catalog_entries in share row exclusive mode`.execute(trx);
        const kept = await digestsOf(trx, [...change.listed, ...change.unlisted]);
        const { events, listed, unlisted } = settleChange(change, (key) => kept.get(entryKey(key)));
        if (events.length + listed.length + unlisted.length === 0) return;
        await each(inChunks(events, perStatement), (chunk) =>
          trx
            .insertInto('catalog_events')
            .values([...chunk])
            .execute(),
        );
        await each(byType(unlisted), (keys) => deleteEntries(trx, keys));
        await each(inChunks(listed, perStatement), (chunk) => putEntries(trx, chunk));
        const newest = trx.selectFrom('catalog_events').select('seq').orderBy('seq', 'desc');
        const lost = await newest.offset(maxEvents).limit(1).executeTakeFirst();
        if (lost !== undefined) await trx.deleteFrom('catalog_events').where('seq', '<=', lost.seq).execute();
        await signals.send(trx, 'feed', '');
      }),
    shared: signals.isShared ? sharedFeed(reads, signals) : undefined,
  };
}

function sharedFeed(reads: Kysely<Tables>, signals: StateDatabase['signals']): SharedFeed {
  let seen: readonly EventRow[] = [];
  return {
    async events(maxEvents) {
      const news = await newestEvents(reads, seen.at(-1)?.seq ?? 0, maxEvents);
      if (news.length > 0) seen = [...seen, ...news].slice(-maxEvents);
      return seen.map(toEvent);
    },
    follow: (listener) => signals.on('feed', listener),
  };
}

type EventRow = CatalogEvent & { readonly seq: number };

/** Oldest first. */
async function newestEvents(reads: Kysely<Tables>, after: number, most: number): Promise<readonly EventRow[]> {
  const rows = reads.selectFrom('catalog_events').selectAll().where('seq', '>', after);
  return (await rows.orderBy('seq', 'desc').limit(most).execute()).reverse();
}

function toEvent({ seq: _, ...event }: EventRow): CatalogEvent {
  return event;
}

/** The stored digests, by `entryKey`. */
async function digestsOf(trx: Transaction<Tables>, keys: readonly KnownKey[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  await each(byType(keys), async ({ type: objectType, ids }) => {
    const rows = trx.selectFrom('catalog_entries').select(['id', 'digest']).where('object_type', '=', objectType);
    for (const { id, digest } of await rows.where('id', 'in', ids).execute()) {
      found.set(entryKey({ objectType, id }), digest);
    }
  });
  return found;
}

interface KeysOfType {
  readonly type: KnownKey['objectType'];
  readonly ids: readonly string[];
}

/** Not more than one statement takes. */
function byType(keys: readonly KnownKey[]): readonly KeysOfType[] {
  return [...new Set(keys.map(({ objectType }) => objectType))].flatMap((type) =>
    inChunks(
      keys.filter(({ objectType }) => objectType === type),
      perStatement,
    ).map((chunk) => ({
      type,
      ids: chunk.map(({ id }) => id),
    })),
  );
}

async function deleteEntries(trx: Transaction<Tables>, { type, ids }: KeysOfType): Promise<void> {
  await trx.deleteFrom('catalog_entries').where('object_type', '=', type).where('id', 'in', ids).execute();
}

async function putEntries(trx: Transaction<Tables>, entries: readonly KnownEntry[]): Promise<void> {
  for (const keys of byType(entries)) await deleteEntries(trx, keys);
  await trx
    .insertInto('catalog_entries')
    .values(entries.map(({ objectType, id, server, digest }) => ({ object_type: objectType, id, server, digest })))
    .execute();
}

/** One after the other; several have a turn of the event loop each, also apart from what was done before them. */
async function each<T>(chunks: readonly T[], work: (chunk: T) => Promise<unknown>): Promise<void> {
  for (const chunk of chunks) {
    if (chunks.length > 1) await setImmediate();
    await work(chunk);
  }
}
