// The port to where the change feed is kept, so that clients can go on from their cursors after a restart, and at any of
// the processes that share it.
import type { CatalogEvent } from '@portico/contracts';

/** The last list entry of an id. */
export interface KnownEntry {
  readonly objectType: CatalogEvent['object_type'];
  readonly id: string;
  readonly server: string;
  /** Digest of the entry with its full definition. */
  readonly digest: string;
}

export type KnownKey = Pick<KnownEntry, 'objectType' | 'id'>;

export interface FeedChange {
  /** Oldest first; one for each entry that is listed or unlisted. */
  readonly events: readonly CatalogEvent[];
  readonly listed: readonly KnownEntry[];
  readonly unlisted: readonly KnownKey[];
}

export interface FeedStore {
  /** The stored state: all entries, and the newest events, oldest first. */
  load(maxEvents: number): Promise<{ readonly known: readonly KnownEntry[]; readonly events: readonly CatalogEvent[] }>;
  /**
   * All of a change or nothing of it, as far as it differs from what is kept; see `settleChange`. Events beyond
   * `maxEvents` are given up, the oldest first.
   */
  append(change: FeedChange, maxEvents: number): Promise<void>;
  /** Where other processes write to it as well: its events are those of all, in one order. */
  readonly shared?: SharedFeed | undefined;
}

export interface SharedFeed {
  /** The newest events of all processes, oldest first. */
  events(maxEvents: number): Promise<readonly CatalogEvent[]>;
  /** Called when there may be new events, of any process. The returned function unsubscribes. */
  follow(listener: () => void): () => void;
}

/** The part of a change that others have not noted already. @param digestOf the stored digest of an id */
export function settleChange(
  { events, listed, unlisted }: FeedChange,
  digestOf: (key: KnownKey) => string | undefined,
): FeedChange {
  const toList = listed.filter((entry) => digestOf(entry) !== entry.digest);
  const toUnlist = unlisted.filter((key) => digestOf(key) !== undefined);
  const changeTypes = new Map<string, CatalogEvent['change_type']>([
    ...toList.map((entry) => [entryKey(entry), digestOf(entry) === undefined ? 'added' : 'updated'] as const),
    ...toUnlist.map((key) => [entryKey(key), 'removed'] as const),
  ]);
  const left = events.flatMap((event) => {
    const changeType = changeTypes.get(entryKey({ objectType: event.object_type, id: event.object_id }));
    return changeType === undefined ? [] : [{ ...event, change_type: changeType }];
  });
  return { events: left, listed: toList, unlisted: toUnlist };
}

/** Lives as long as the process. */
export function createMemoryFeedStore(): FeedStore {
  const known = new Map<string, KnownEntry>();
  let kept: readonly CatalogEvent[] = [];
  return {
    load: async (maxEvents) => ({ known: [...known.values()], events: kept.slice(-maxEvents) }),
    async append(change, maxEvents) {
      const { events, listed, unlisted } = settleChange(change, (key) => known.get(entryKey(key))?.digest);
      kept = [...kept, ...events].slice(-maxEvents);
      for (const entry of listed) known.set(entryKey(entry), entry);
      for (const key of unlisted) known.delete(entryKey(key));
    },
  };
}

/** One that several control planes of this process are given. */
export function createSharedMemoryFeedStore(): FeedStore {
  const store = createMemoryFeedStore();
  const listeners = new Set<() => void>();
  return {
    load: store.load,
    async append(change, maxEvents) {
      await store.append(change, maxEvents);
      for (const listener of listeners) listener();
    },
    shared: {
      events: async (maxEvents) => (await store.load(maxEvents)).events,
      follow(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  };
}

/** Identifies an entry: a tool and a prompt may have one id. */
export function entryKey({ objectType, id }: KnownKey): string {
  return `${objectType} ${id}`;
}
