// Keeps a subscription open on a 2026-07-28 server, which reports changes only to those who listen (subscriptions).
import type { AbortSignalLike } from '@portico/async';
import { isJsonObject, type JsonObject } from '@portico/contracts';
import { messageOf, rejectionCode } from './failures.js';
import type { RpcPeer } from './rpc-peer.js';
import type { Waits } from './waits.js';
import { rpcErrors } from './wire.js';

export interface ChangeWatchOptions {
  readonly peer: RpcPeer;
  readonly capabilities: JsonObject;
  readonly waits: Waits;
  readonly signal: AbortSignalLike;
  readonly onProblem: (message: string) => void;
}

export interface ChangeWatch {
  /** Resolves when the signal aborts, the connection is over, or the server does not take subscriptions. */
  readonly over: Promise<void>;
  /** Reopens the subscription, for updates of these resources as well. */
  watchResources(uris: readonly string[]): void;
}

const goodListenMs = 5_000;
const relistenDelayMs = (attempt: number) => Math.min(100 * 2 ** attempt, 30_000);

export function startChangeWatch({ peer, capabilities, waits, signal, onProblem }: ChangeWatchOptions): ChangeWatch {
  const lists = wantedLists(capabilities);
  let resources: readonly string[] = [];
  let listening: AbortController | undefined;
  let begin: () => void = () => {};
  let wanted = new Promise<void>((resolve) => {
    begin = resolve;
  });

  const filter = (): JsonObject => ({
    ...lists,
    ...(resources.length === 0 ? {} : { resourceSubscriptions: [...resources] }),
  });

  const isOver = () => signal.aborted || peer.lost() !== null;

  /** How one subscription ended: with a message, when it was ended for another, or permanently. */
  const listen = async (): Promise<'ended' | 'replaced' | 'unknown'> => {
    const own = new AbortController();
    listening = own;
    const end = () => own.abort(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    try {
      await peer.request('subscriptions/listen', { notifications: filter() }, { signal: own.signal }); // answered at its end
      return 'ended';
    } catch (error) {
      if (own.signal.aborted) return 'replaced';
      if (rejectionCode(error) === rpcErrors.methodNotFound) return 'unknown';
      if (!isOver()) onProblem(`the subscription to changes ended: ${messageOf(error)}`);
      return 'ended';
    } finally {
      signal.removeEventListener('abort', end);
    }
  };

  const run = async () => {
    if (Object.keys(lists).length > 0) begin();
    for (let attempt = 0; !isOver(); ) {
      await wanted;
      if (isOver()) return;
      const startedAt = performance.now();
      const end = await listen();
      if (isOver() || end === 'unknown') return;
      if (end === 'replaced') continue;
      attempt = performance.now() - startedAt >= goodListenMs ? 1 : attempt + 1;
      await waits.wait(relistenDelayMs(attempt - 1));
    }
  };

  signal.addEventListener('abort', () => begin(), { once: true });
  return {
    over: run(),
    watchResources(uris) {
      resources = uris;
      if (Object.keys(filter()).length > 0) begin();
      else
        wanted = new Promise((resolve) => {
          begin = resolve;
        });
      listening?.abort(new Error('the subscription is replaced by another one'));
    },
  };
}

function wantedLists(capabilities: JsonObject): JsonObject {
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
