// The port to where the change feed is kept, so that clients can go on from their cursors after a restart.
import type { CatalogEvent } from '@portico/contracts';

/** What was last listed under an id. */
export interface KnownEntry {
  readonly objectType: CatalogEvent['object_type'];
  readonly id: string;
  readonly server: string;
  /** Of the entry with its full definition. */
  readonly digest: string;
}

export type KnownKey = Pick<KnownEntry, 'objectType' | 'id'>;

export interface FeedChange {
  /** Oldest first. */
  readonly events: readonly CatalogEvent[];
  readonly listed: readonly KnownEntry[];
  readonly unlisted: readonly KnownKey[];
}

export interface FeedStore {
  /** What is kept: all entries, and the newest events, oldest first. */
  load(maxEvents: number): Promise<{ readonly known: readonly KnownEntry[]; readonly events: readonly CatalogEvent[] }>;
  /** All of a change or nothing of it; events beyond `maxEvents` are given up, the oldest first. */
  append(change: FeedChange, maxEvents: number): Promise<void>;
}

/** Lives as long as the process. */
export function createMemoryFeedStore(): FeedStore {
  const known = new Map<string, KnownEntry>();
  let kept: readonly CatalogEvent[] = [];
  return {
    load: async (maxEvents) => ({ known: [...known.values()], events: kept.slice(-maxEvents) }),
    async append({ events, listed, unlisted }, maxEvents) {
      kept = [...kept, ...events].slice(-maxEvents);
      for (const entry of listed) known.set(keyOf(entry), entry);
      for (const key of unlisted) known.delete(keyOf(key));
    },
  };
}

/** A tool and a prompt may have one id. */
export function keyOf({ objectType, id }: KnownKey): string {
  return `${objectType} ${id}`;
}
