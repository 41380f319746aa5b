// Subscribes to updates of single resources: by subscriptions of 2025-11-25, or by the one subscription of 2026-07-28.
// A server that offers neither is not asked.
import type { AbortSignalLike } from '@portico/async';
import { isJsonObject } from '@portico/contracts';
import type { Agreement } from './negotiate.js';
import type { RpcPeer } from './rpc-peer.js';

export interface ResourceWatchOptions {
  readonly peer: RpcPeer;
  readonly agreement: Agreement;
  /** Subscribes again at a 2026-07-28 server. */
  readonly relisten: (uris: readonly string[]) => void;
}

/** Replaces the watched URIs. @throws UpstreamFailure */
export type WatchResources = (uris: readonly string[], signal: AbortSignalLike) => Promise<void>;

export function createResourceWatch({ peer, agreement, relisten }: ResourceWatchOptions): WatchResources {
  const { resources } = agreement.capabilities;
  if (!isJsonObject(resources) || resources.subscribe !== true) return async () => {};
  const watched = new Set<string>();

  const watchOne = async (method: string, uri: string, signal: AbortSignalLike) => {
    await peer.request(method, { uri }, { signal });
  };

  return async (uris, signal) => {
    const wanted = new Set(uris);
    const added = [...wanted].filter((uri) => !watched.has(uri));
    const removed = [...watched].filter((uri) => !wanted.has(uri));
    if (added.length + removed.length === 0) return;
    for (const uri of added) watched.add(uri);
    for (const uri of removed) watched.delete(uri);
    if (agreement.era === 'modern') return relisten([...watched]);
    await Promise.all([
      ...added.map((uri) =>
        watchOne('resources/subscribe', uri, signal).catch((error: unknown) => {
          watched.delete(uri); // so that it is tried again
          throw error;
        }),
      ),
      ...removed.map((uri) => watchOne('resources/unsubscribe', uri, signal)),
    ]);
  };
}
