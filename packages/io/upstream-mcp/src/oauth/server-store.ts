// The store as one server uses it while it is configured. After a server is removed, its remaining work reads nothing
// and its writes are dropped, so that no login comes back.
import type { OAuthKey, OAuthStore } from './store.js';

/** Operations of one server on its store. */
export type ServerStore = Omit<OAuthStore, 'retain'>;

export interface RetainedStore {
  has(server: string): boolean;
  /** The store of a server while it is configured. */
  of(server: string): ServerStore;
  /**
   * From now on only these servers have a store. Deletes the records of other servers: after pending writes, and before
   * a read or write for a server that is added again.
   */
  retain(servers: readonly string[]): Promise<void>;
}

export function createRetainedStore(store: OAuthStore): RetainedStore {
  const open = new Map<string, { isOpen: boolean }>();
  const saves = new Set<Promise<void>>();
  let configured: ReadonlySet<string> | undefined; // all servers, until the first list
  let retaining: Promise<void> = Promise.resolve();

  const save = async (use: { readonly isOpen: boolean }, write: () => Promise<void>): Promise<void> => {
    await retaining;
    if (!use.isOpen) return;
    const saving = write();
    const settled = saving.catch(() => {});
    saves.add(settled);
    await saving.finally(() => saves.delete(settled));
  };

  const has = (server: string) => configured?.has(server) ?? true;

  return {
    has,
    of(server) {
      const use = open.get(server) ?? { isOpen: has(server) };
      if (use.isOpen) open.set(server, use);
      return {
        async get(key: OAuthKey) {
          await retaining;
          return use.isOpen ? store.get(key) : undefined;
        },
        set: (key, record) => save(use, () => store.set(key, record)),
        delete: (key) => save(use, () => store.delete(key)),
        deleteOthers: (key) => save(use, () => store.deleteOthers(key)),
        exclusively: store.exclusively,
      };
    },
    retain(servers) {
      configured = new Set(servers);
      for (const [server, use] of open) {
        if (configured.has(server)) continue;
        use.isOpen = false;
        open.delete(server);
      }
      const done = retaining.then(async () => {
        await Promise.all(saves);
        await store.retain(servers);
      });
      retaining = done.catch(() => {}); // the next one deletes what is left
      return done;
    },
  };
}
