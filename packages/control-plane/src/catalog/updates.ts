// Sends changes to listeners: catalog changes gathered for an interval, resource updates at once. The last ones are
// kept, so that a listener that reconnects misses nothing.
import type { Catalog } from '@portico/catalog-core';
import type { Clock } from '@portico/upstream-pool';

/** Ids by kind of change. */
export interface CatalogDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly updated: readonly string[];
}

export type UpdateEvent =
  | {
      readonly kind: 'catalog_changed';
      /** Opaque; orders nothing, only names a place in the stream. */
      readonly id: string;
      readonly data: CatalogDifference & { readonly catalog_version: string; readonly servers: readonly string[] };
    }
  | {
      readonly kind: 'resource_updated';
      readonly id: string;
      readonly data: { readonly server: string; readonly uri: string };
    };

export type UpdateListener = (event: UpdateEvent) => void;

export interface Updates {
  /**
   * Reports a change of the catalog, with the servers concerned beside those whose entries changed; or servers that are
   * back without a change.
   */
  catalogChanged(before: Catalog, after: Catalog, servers: readonly string[]): void;
  resourceUpdated(server: string, uri: string): void;
  /**
   * Passes on every event from now on, preceded by the kept events after `lastId`: all kept events if it is unknown,
   * none without one. Returns the function that ends it.
   */
  subscribe(listener: UpdateListener, lastId?: string): () => void;
  close(): void;
}

/** Changes within this time become one event. */
const gatherMs = 50;
const kept = 1000;

export function createUpdates(clock: Clock): Updates {
  const listeners = new Set<UpdateListener>();
  const events: UpdateEvent[] = [];
  const run = clock.epochMs().toString(36); // ids of another run of the service mean nothing in this one
  let count = 0;
  let gathering: { readonly before: Catalog; after: Catalog; readonly servers: Set<string> } | undefined;
  let cancelFlush = () => {};

  const publish = (event: UpdateEvent) => {
    events.push(event);
    if (events.length > kept) events.shift();
    for (const listener of listeners) listener(event);
  };
  const nextId = () => {
    count += 1;
    return `${run}-${count}`;
  };
  const flush = () => {
    if (gathering === undefined) return;
    const { before, after, servers } = gathering;
    gathering = undefined;
    const { owners, ...difference } = differenceOf(before, after);
    const concerned = [...new Set([...servers, ...owners])].sort();
    const data = { catalog_version: after.version, ...difference, servers: concerned };
    publish({ kind: 'catalog_changed', id: nextId(), data });
  };

  return {
    catalogChanged(before, after, changed) {
      if (gathering === undefined) {
        gathering = { before, after, servers: new Set() };
        cancelFlush = clock.after(gatherMs, flush);
      }
      gathering.after = after;
      for (const server of changed) gathering.servers.add(server);
    },
    resourceUpdated: (server, uri) => publish({ kind: 'resource_updated', id: nextId(), data: { server, uri } }),
    subscribe(listener, lastId) {
      const found = events.findIndex(({ id }) => id === lastId);
      for (const event of lastId === undefined ? [] : events.slice(found + 1)) listener(event);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      cancelFlush();
      listeners.clear();
    },
  };
}

/** The difference of all listed entries, by id; an entry counts as updated when its definition changed. */
function differenceOf(before: Catalog, after: Catalog): CatalogDifference & { readonly owners: readonly string[] } {
  const old = listedBy(before);
  const now = listedBy(after);
  const added = [...now].filter(([key]) => !old.has(key));
  const removed = [...old].filter(([key]) => !now.has(key));
  const updated = [...now].filter(([key, { digest }]) => old.has(key) && old.get(key)?.digest !== digest);
  return {
    added: added.map(idOf),
    removed: removed.map(idOf),
    updated: updated.map(idOf),
    owners: [...added, ...removed, ...updated].map(([, { server }]) => server),
  };
}

type Listed = Pick<Catalog['capabilities'][number], 'id' | 'server' | 'digest'>;

/** A tool and a prompt may have one id, so the kind is part of the key. */
function listedBy({ capabilities, resources, prompts }: Catalog): ReadonlyMap<string, Listed> {
  const all: readonly (readonly [string, readonly Listed[]])[] = [
    ['c', capabilities],
    ['r', resources],
    ['p', prompts],
  ];
  return new Map(all.flatMap(([kind, entries]) => entries.map((entry) => [`${kind}${entry.id}`, entry] as const)));
}

function idOf([, { id }]: readonly [string, Listed]): string {
  return id;
}
