// Keeps a subscription open on a 2026-07-28 server, which reports changes only to those who listen (subscriptions).
import { isJsonObject, type JsonObject } from '@portico/contracts';
import { messageOf, rejectionCode } from './failures.js';
import type { RpcPeer } from './rpc-peer.js';
import type { Waits } from './waits.js';
import { rpcErrors } from './wire.js';

export interface ChangeWatchOptions {
  readonly peer: RpcPeer;
  readonly capabilities: JsonObject;
  readonly waits: Waits;
  readonly signal: AbortSignal;
  readonly onProblem: (message: string) => void;
}

const goodListenMs = 5_000;
const relistenDelayMs = (attempt: number) => Math.min(100 * 2 ** attempt, 30_000);

/** Resolves when the signal aborts, the connection is over, or the server does not take subscriptions. */
export async function watchChanges(options: ChangeWatchOptions): Promise<void> {
  const { peer, waits, signal, onProblem } = options;
  const notifications = wantedChanges(options.capabilities);
  if (Object.keys(notifications).length === 0) return;
  for (let attempt = 0; !signal.aborted && peer.lost() === null; attempt += 1) {
    const startedAt = performance.now();
    try {
      await peer.request('subscriptions/listen', { notifications }, { signal }); // answered when it ends
    } catch (error) {
      if (signal.aborted || peer.lost() !== null) return;
      if (rejectionCode(error) === rpcErrors.methodNotFound) return;
      onProblem(`the subscription to changes ended: ${messageOf(error)}`);
    }
    if (performance.now() - startedAt >= goodListenMs) attempt = 0;
    await waits.wait(relistenDelayMs(attempt));
  }
}

function wantedChanges(capabilities: JsonObject): JsonObject {
  const reports = (name: string) => {
    const capability = capabilities[name];
    return isJsonObject(capability) && capability.listChanged === true;
  };
  return {
    ...(reports('tools') ? { toolsListChanged: true } : {}),
    ...(reports('prompts') ? { promptsListChanged: true } : {}),
    ...(reports('resources') ? { resourcesListChanged: true } : {}),
  };
}
