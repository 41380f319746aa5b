// The store as one server may use it: for as long as it is configured. What of it still runs afterwards finds nothing
// there, and what it would save is dropped, so that no login comes back to a server that was removed.
import type { OAuthKey, OAuthStore } from './store.js';

/** What one server reads and writes. */
export type ServerStore = Omit<OAuthStore, 'retain'>;

export interface RetainedStore {
  has(server: string): boolean;
  /** The store of a server for as long as it is configured. */
  of(server: string): ServerStore;
  /**
   * From here on only these servers have a store, and what is kept of others is deleted: after what was being saved,
   * and before anything is read or saved for a server that comes anew.
   */
  retain(servers: readonly string[]): Promise<void>;
}

export function createRetainedStore(store: OAuthStore): RetainedStore {
  const open = new Map<string, { isOpen: boolean }>();
  const saves = new Set<Promise<void>>();
  let configured: ReadonlySet<string> | undefined; // all of them, until somebody says which
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
