// The change feed: what was added to the catalog, removed and updated, by comparing with what was last listed. That is
// kept over restarts, so that a start by itself changes nothing.
import type { CatalogEvent } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { PlaneState } from '../plane-state.js';
import type { Log } from '../ports.js';
import { differenceFrom, sortKnown } from './catalog-difference.js';
import type { FeedStore, KnownEntry } from './feed-store.js';

export interface FeedPage {
  readonly cursor: string;
  readonly events: readonly CatalogEvent[];
  /** Whether the cursor was unknown, or too old: these are all events that are kept. */
  readonly isReset: boolean;
}

export interface CatalogFeed {
  /** Takes up what an earlier run has left. Call it before anything is noted. */
  recover(): Promise<void>;
  /** Compares what is listed now with what was. Never throws, and never waits: what it finds is kept in the background. */
  note(state: PlaneState): void;
  /** What came after a cursor, oldest first; without one all that is kept. */
  read(after: string | undefined): FeedPage;
  /** Resolves when everything is kept. */
  close(): Promise<void>;
}

export interface CatalogFeedDeps {
  readonly store: FeedStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly randomHex: (characters: number) => string;
}

export const maxFeedEvents = 5000;
/** The cursor of a feed that has had no event yet. */
const beginning = 'start';

export function createCatalogFeed({ store, clock, log, randomHex }: CatalogFeedDeps): CatalogFeed {
  let known = sortKnown([]);
  let events: readonly CatalogEvent[] = [];
  let writing = Promise.resolve();
  const read = new Set<string>(); // servers, in this run

  return {
    async recover() {
      const kept = await store.load(maxFeedEvents);
      known = sortKnown(kept.known);
      events = kept.events;
    },
    note({ catalog, servers, config }) {
      for (const server of servers.keys()) read.add(server);
      // A server that has not been read since the start is as it was.
      const isSettled = ({ server }: KnownEntry) => read.has(server) || !config.servers.has(server);
      const { gone, updated, added, known: next } = differenceFrom(known, catalog, isSettled);
      if (gone.length + updated.length + added.length === 0) return;

      const timestamp = Math.floor(clock.epochMs() / 1000);
      const toEvent = ({ objectType, id }: KnownEntry, changeType: CatalogEvent['change_type']): CatalogEvent => ({
        id: `evt-${randomHex(24)}`,
        timestamp,
        object_type: objectType,
        object_id: id,
        change_type: changeType,
        catalog_version: catalog.version,
      });
      const found = [
        ...gone.map((entry) => toEvent(entry, 'removed')),
        ...updated.map((entry) => toEvent(entry, 'updated')),
        ...added.map((entry) => toEvent(entry, 'added')),
      ];
      known = next;
      events = [...events, ...found].slice(-maxFeedEvents);
      writing = writing
        .then(() => store.append({ events: found, listed: [...updated, ...added], unlisted: gone }, maxFeedEvents))
        .catch((error: unknown) => log('error', 'changes of the catalog are not kept over a restart', { error }));
    },
    read(after) {
      const cursor = events.at(-1)?.id ?? beginning;
      if (after === undefined) return { cursor, events, isReset: false };
      if (after === cursor) return { cursor, events: [], isReset: false };
      const place = events.findIndex(({ id }) => id === after);
      if (place >= 0) return { cursor, events: events.slice(place + 1), isReset: false };
      return { cursor, events, isReset: after !== beginning || events.length >= maxFeedEvents };
    },
    close: () => writing,
  };
}
