// All upstream servers of one control plane, by id. Mounting starts to connect; nothing here waits for a connection.
import type { ServerConfig } from '@portico/contracts';
import type { KnownServer } from './describe-upstream.js';
import { createWatchedResources, type WatchedResources } from './resource-watches.js';
import { type ServerRequest, ServerRequestRefused } from './session.js';
import { openUpstream, type Upstream, type UpstreamDeps, type UpstreamListener } from './upstream.js';
import { createUsage, type Usage } from './usage.js';

export interface UpstreamPool {
  /**
   * Adds a server and starts to connect to it in the background. Waits for the end of an earlier server of the same id;
   * a known lazy server starts when it is needed. @throws Error when the id is taken
   */
  mount(id: string, server: ServerConfig, known?: KnownServer): Upstream;
  /**
   * Ends a server's connection and child, after at most `graceMs` in which its running calls may end; resolves when
   * both have ended. It is not found from now on. False when there is no such server.
   */
  unmount(id: string, graceMs?: number): Promise<boolean>;
  /** Replaces a server at once; the new one starts to connect when the old one has ended. */
  replace(id: string, server: ServerConfig, options?: ReplaceOptions): Upstream;
  get(id: string): Upstream | undefined;
  /** In the order they were mounted. */
  list(): readonly Upstream[];
  /** Unmounts all servers side by side. */
  close(): Promise<void>;
}

export interface ReplaceOptions {
  /** For running calls; 0 by default. */
  readonly graceMs?: number;
  readonly known?: KnownServer | undefined;
  /** Whether it is connected once, be it lazy and known. */
  readonly isWanted?: boolean;
}

const silentListener: UpstreamListener = Object.freeze({
  onDefinitions() {},
  onState() {},
  onResourceUpdated() {},
  onLog() {},
  onLogMessage() {},
  async onServerRequest(_id: string, { method }: ServerRequest): Promise<never> {
    throw new ServerRequestRefused(-32601, `${method} is not supported`);
  },
});

/** State that outlives a server: its watchers and holders remain when it is replaced. */
interface Lasting {
  readonly watched: WatchedResources;
  readonly usage: Usage;
}

/**
 * Creates a pool of sessions to servers: connects, restarts and stops them, and admits calls.
 * @param on events to be reported; those without a function are dropped, and questions of servers are refused
 */
export function createUpstreamPool(deps: UpstreamDeps, on: Partial<UpstreamListener> = {}): UpstreamPool {
  const listener: UpstreamListener = { ...silentListener, ...on };
  const upstreams = new Map<string, Upstream>();
  const leaving = new Map<string, Promise<void>>(); // by id; each is over after those before it

  const lasting = new Map<string, Lasting>(); // by id

  const lastingOf = (id: string, { lifecycle }: ServerConfig): Lasting => {
    const found = lasting.get(id);
    found?.usage.follow(lifecycle);
    const { watched, usage } = found ?? {
      watched: createWatchedResources(),
      usage: createUsage(deps.clock, lifecycle),
    };
    lasting.set(id, { watched, usage });
    return { watched, usage };
  };

  const open = (id: string, server: ServerConfig, known: KnownServer | undefined, isWanted: boolean): Upstream => {
    const inherited = { ...lastingOf(id, server), gone: leaving.get(id), known, isWanted };
    const upstream = openUpstream(deps, id, server, listener, inherited);
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
    if (lasting.get(id)?.watched.uris().length === 0) lasting.delete(id);
    await end(upstream, graceMs);
    return true;
  };

  return {
    mount(id, server, known) {
      if (upstreams.has(id)) throw new Error(`server "${id}" is mounted already`);
      return open(id, server, known, false);
    },
    unmount,
    replace(id, server, { graceMs = 0, known, isWanted = false } = {}) {
      const old = upstreams.get(id);
      if (old !== undefined) void end(old, graceMs);
      return open(id, server, known, isWanted);
    },
    get: (id) => upstreams.get(id),
    list: () => [...upstreams.values()],
    async close() {
      await Promise.all([...[...upstreams.keys()].map((id) => unmount(id)), ...leaving.values()]);
    },
  };
}
