// The change feed in the state database: the newest events, and what was last listed.
import type { FeedStore, KnownEntry } from '@portico/control-plane';
import type { Transaction } from 'kysely';
import type { StateDatabase } from './database.js';
import type { Tables } from './tables.js';

/** Rows of one statement: SQLite takes 32,766 values in one. */
const perStatement = 1000;

export function createFeedStore({ reads, write }: StateDatabase): FeedStore {
  return {
    async load(maxEvents) {
      const entries = await reads.selectFrom('catalog_entries').selectAll().execute();
      const rows = await reads
        .selectFrom('catalog_events')
        .selectAll()
        .orderBy('seq', 'desc')
        .limit(maxEvents)
        .execute();
      return {
        known: entries.map(({ object_type: objectType, ...entry }) => ({ objectType, ...entry })),
        events: rows.reverse().map(({ seq: _, ...event }) => event),
      };
    },
    append: ({ events, listed, unlisted }, maxEvents) =>
      write(async (trx) => {
        for (const chunk of inChunks(events))
          await trx
            .insertInto('catalog_events')
            .values([...chunk])
            .execute();
        for (const { objectType, id } of unlisted) {
          await trx.deleteFrom('catalog_entries').where('object_type', '=', objectType).where('id', '=', id).execute();
        }
        for (const chunk of inChunks(listed)) await putEntries(trx, chunk);
        const newest = trx.selectFrom('catalog_events').select('seq').orderBy('seq', 'desc');
        const lost = await newest.offset(maxEvents).limit(1).executeTakeFirst();
        if (lost !== undefined) await trx.deleteFrom('catalog_events').where('seq', '<=', lost.seq).execute();
      }),
  };
}

async function putEntries(trx: Transaction<Tables>, entries: readonly KnownEntry[]): Promise<void> {
  for (const type of new Set(entries.map(({ objectType }) => objectType))) {
    const ids = entries.filter(({ objectType }) => objectType === type).map(({ id }) => id);
    await trx.deleteFrom('catalog_entries').where('object_type', '=', type).where('id', 'in', ids).execute();
  }
  await trx
    .insertInto('catalog_entries')
    .values(entries.map(({ objectType, id, server, digest }) => ({ object_type: objectType, id, server, digest })))
    .execute();
}

function inChunks<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / perStatement) }, (_, index) =>
    all.slice(index * perStatement, (index + 1) * perStatement),
  );
}
