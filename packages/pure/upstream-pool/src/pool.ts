// All upstream servers of one control plane, by id. Mounting starts to connect; nothing here waits for a connection.
import type { ServerConfig } from '@portico/contracts';
import { createWatchedResources, type WatchedResources } from './resource-watches.js';
import { openUpstream, type Upstream, type UpstreamDeps, type UpstreamListener } from './upstream.js';

export interface UpstreamPool {
  /**
   * Adds a server and starts to connect to it in the background; where one of its id is on its way out, when that is
   * gone. @throws Error when the id is taken
   */
  mount(id: string, server: ServerConfig): Upstream;
  /**
   * Ends a server's connection and child, after at most `graceMs` in which its running calls may end; resolves when both
   * are gone. It is not found from now on. False when there is no such server.
   */
  unmount(id: string, graceMs?: number): Promise<boolean>;
  /** Puts another in the place of a server at once, which starts to connect when the old one is gone. */
  replace(id: string, server: ServerConfig, graceMs?: number): Upstream;
  get(id: string): Upstream | undefined;
  /** In the order they were mounted. */
  list(): readonly Upstream[];
  /** Unmounts all servers side by side. */
  close(): Promise<void>;
}

export function createUpstreamPool(deps: UpstreamDeps, listener: UpstreamListener): UpstreamPool {
  const upstreams = new Map<string, Upstream>();
  const leaving = new Map<string, Promise<void>>(); // by id; each is over after those before it

  const watched = new Map<string, WatchedResources>(); // by id: whoever watches has not stopped when a server is replaced

  const watchedOf = (id: string): WatchedResources => {
    const known = watched.get(id) ?? createWatchedResources();
    watched.set(id, known);
    return known;
  };

  const open = (id: string, server: ServerConfig): Upstream => {
    const upstream = openUpstream(deps, id, server, listener, { watched: watchedOf(id), gone: leaving.get(id) });
    upstreams.set(id, upstream);
    return upstream;
  };

  const end = (upstream: Upstream, graceMs: number): Promise<void> => {
    const gone = upstream.close(graceMs).finally(() => {
      if (leaving.get(upstream.id) === gone) leaving.delete(upstream.id);
    });
    leaving.set(upstream.id, gone);
    return gone;
  };

  const unmount = async (id: string, graceMs = 0): Promise<boolean> => {
    const upstream = upstreams.get(id);
    if (upstream === undefined) return false;
    upstreams.delete(id);
    if (watchedOf(id).uris().length === 0) watched.delete(id);
    await end(upstream, graceMs);
    return true;
  };

  return {
    mount(id, server) {
      if (upstreams.has(id)) throw new Error(`server "${id}" is mounted already`);
      return open(id, server);
    },
    unmount,
    replace(id, server, graceMs = 0) {
      const old = upstreams.get(id);
      if (old !== undefined) void end(old, graceMs);
      return open(id, server);
    },
    get: (id) => upstreams.get(id),
    list: () => [...upstreams.values()],
    async close() {
      await Promise.all([...[...upstreams.keys()].map((id) => unmount(id)), ...leaving.values()]);
    },
  };
}
