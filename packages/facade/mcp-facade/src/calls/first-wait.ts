// A request that comes before everything is known of the servers that it may be about: it waits for them, for as long as
// `mcp.firstListWaitMs` says. A client that lists once would else see nothing of them.
import type { AbortSignalLike } from '@portico/async';
import type { AskedName, Caller, ControlPlane, Patience } from '@portico/control-plane';

/** What a request is about: everything, or what may be found under these names. */
export type About = 'everything' | readonly AskedName[];

/** Undefined where nobody has to wait, as nearly always; else it resolves when the request is to be served. */
export type FirstWait = (caller: Caller, signal: AbortSignalLike, about: () => About) => Promise<void> | undefined;

/** @param patience of one client; without it the requests of nobody in particular share theirs */
export function createFirstWait(plane: ControlPlane, patience?: Patience): FirstWait {
  return (caller, signal, about) => {
    const { config, servers } = plane.state();
    if (servers.size === config.servers.size) return undefined;
    const asked = about();
    return plane.untilKnown(caller, { signal, names: asked === 'everything' ? undefined : asked, patience });
  };
}
