// The change feed: additions, removals and updates of the catalog, found by comparing with the last list. That list is
// kept across restarts, so that a start alone changes nothing. If several processes share it, each reports the changes
// of its own view, and the store drops those that another has reported: the events of the store are authoritative.
import { coalesce } from '@portico/async';
import type { CatalogEvent } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../../common/log.js';
import type { PlaneState } from '../../state/plane-state.js';
import { differenceFrom, sortKnown } from './catalog-difference.js';
import type { FeedChange, FeedStore, KnownEntry, SharedFeed } from './feed-store.js';

export interface FeedPage {
  readonly cursor: string;
  readonly events: readonly CatalogEvent[];
  /** Whether the cursor was unknown, or too old: these are all events that are kept. */
  readonly isReset: boolean;
}

export interface CatalogFeed {
  /** Recovers the state of an earlier run. Call it before anything is noted. */
  recover(): Promise<void>;
  /** Compares what is listed now with what was. Never throws, and never waits: what it finds is kept in the background. */
  note(state: PlaneState): void;
  /** The events after a cursor, oldest first; without one, all that are kept. */
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
  const { shared } = store;
  let known = sortKnown([]);
  let events: readonly CatalogEvent[] = [];
  let writing = Promise.resolve();
  let endFollowing = async () => {};
  let last: PlaneState | undefined;
  let isBehind = false; // a change could not be stored, so other processes do not receive it
  const read = new Set<string>(); // servers, in this run

  const keep = (change: FeedChange) => {
    if (shared === undefined) events = [...events, ...change.events].slice(-maxFeedEvents);
    writing = writing
      .then(() => store.append(change, maxFeedEvents))
      .catch((error: unknown) => {
        isBehind = true;
        log('error', lossOf(shared), { error });
      });
  };

  const note = (state: PlaneState) => {
    const { catalog, servers, config } = state;
    last = state;
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
    keep({ events: found, listed: [...updated, ...added], unlisted: gone });
  };

  /** Finds unstored changes again, as at a start. */
  const publishAgain = async () => {
    known = sortKnown((await store.load(maxFeedEvents)).known);
    isBehind = false;
    if (last !== undefined) note(last);
    await writing;
  };

  const refresh = async (feed: SharedFeed) => {
    try {
      if (isBehind) await publishAgain();
      events = await feed.events(maxFeedEvents);
    } catch (error) {
      log('error', 'changes of the catalog that other daemons have found are not reported yet', { error });
    }
  };

  return {
    async recover() {
      const kept = await store.load(maxFeedEvents);
      known = sortKnown(kept.known);
      events = kept.events;
      if (shared === undefined) return;
      const refreshing = coalesce(() => refresh(shared));
      const unfollow = shared.follow(refreshing.ask);
      refreshing.ask(); // for events that arrived in between
      endFollowing = () => {
        unfollow();
        return refreshing.done();
      };
    },
    note,
    read(after) {
      const cursor = events.at(-1)?.id ?? beginning;
      if (after === undefined) return { cursor, events, isReset: false };
      if (after === cursor) return { cursor, events: [], isReset: false };
      const place = events.findIndex(({ id }) => id === after);
      if (place >= 0) return { cursor, events: events.slice(place + 1), isReset: false };
      return { cursor, events, isReset: after !== beginning || events.length >= maxFeedEvents };
    },
    async close() {
      await writing;
      await endFollowing();
    },
  };
}

function lossOf(shared: SharedFeed | undefined): string {
  if (shared === undefined) return 'changes of the catalog are not kept over a restart';
  return 'changes of the catalog are not in the change feed yet';
}
