// Delays a request that arrives before the servers that it may be about are known: it waits for them, up to
// `mcp.firstListWaitMs`. A client that lists only once would otherwise see nothing of them.
import type { AbortSignalLike } from '@portico/async';
import type { AskedName, Caller, ControlPlane, Patience } from '@portico/control-plane';

/** The scope of a request: everything, or the things that may be found under these names. */
export type About = 'everything' | readonly AskedName[];

/** Undefined when there is nothing to wait for, as nearly always; else resolves when the request can be served. */
export type FirstWait = (caller: Caller, signal: AbortSignalLike, about: () => About) => Promise<void> | undefined;

/** @param patience of one client; without it, requests without a client share one */
export function createFirstWait(plane: ControlPlane, patience?: Patience): FirstWait {
  return (caller, signal, about) => {
    const { config, servers } = plane.state();
    if (servers.size === config.servers.size) return undefined;
    const asked = about();
    return plane.untilKnown(caller, { signal, names: asked === 'everything' ? undefined : asked, patience });
  };
}
