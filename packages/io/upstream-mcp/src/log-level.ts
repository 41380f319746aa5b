// Asks a server of 2025-11-25 for log messages as detailed as any caller wants them. It never asks for fewer: the level
// is the session's, which callers share.
import type { AbortSignalLike } from '@portico/async';
import { isJsonObject, logLevels } from '@portico/contracts';
import type { Agreement } from './negotiate.js';
import type { RpcPeer } from './rpc-peer.js';

/** Resolves when the server has the level, does not need it, or refuses it: that does not fail a call. */
export type WantLogLevel = (level: string, signal: AbortSignalLike) => Promise<void>;

export function createLogLevel(peer: RpcPeer, { era, capabilities }: Agreement): WantLogLevel {
  let wanted = logLevels.length;
  if (era === 'modern' || !isJsonObject(capabilities.logging)) return async () => {};
  return async (level, signal) => {
    const rank = logLevels.indexOf(level);
    if (rank < 0 || rank >= wanted) return;
    const before = wanted;
    wanted = rank;
    await peer.request('logging/setLevel', { level }, { signal }).catch(() => {
      if (signal.aborted) wanted = before;
    });
  };
}
