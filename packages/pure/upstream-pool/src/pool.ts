// All upstream servers of one control plane, by id. Mounting starts to connect; nothing here waits for a connection.
import type { ServerConfig } from '@portico/contracts';
import { openUpstream, type Upstream, type UpstreamDeps, type UpstreamListener } from './upstream.js';

export interface UpstreamPool {
  /** Adds a server and starts to connect to it in the background. @throws Error when the id is taken */
  mount(id: string, server: ServerConfig): Upstream;
  /** Ends a server's connection and child; resolves when both are gone. False when there is no such server. */
  unmount(id: string): Promise<boolean>;
  get(id: string): Upstream | undefined;
  /** In the order they were mounted. */
  list(): readonly Upstream[];
  /** Unmounts all servers side by side. */
  close(): Promise<void>;
}

export function createUpstreamPool(deps: UpstreamDeps, listener: UpstreamListener): UpstreamPool {
  const upstreams = new Map<string, Upstream>();

  const unmount = async (id: string): Promise<boolean> => {
    const upstream = upstreams.get(id);
    if (upstream === undefined) return false;
    upstreams.delete(id);
    await upstream.close();
    return true;
  };

  return {
    mount(id, server) {
      if (upstreams.has(id)) throw new Error(`server "${id}" is mounted already`);
      const upstream = openUpstream(deps, id, server, listener);
      upstreams.set(id, upstream);
      return upstream;
    },
    unmount,
    get: (id) => upstreams.get(id),
    list: () => [...upstreams.values()],
    async close() {
      await Promise.all([...upstreams.keys()].map(unmount));
    },
  };
}
