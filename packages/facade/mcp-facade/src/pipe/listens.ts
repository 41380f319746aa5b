// The subscriptions of 2026-07-28 that stand on one pipe, each with the resources it watches.
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import { isListen, watchListened } from '../changes/listened-resources.js';
import type { Watches } from '../server/watches.js';

export interface Listens {
  /** To be run over every message before the SDK gets it. */
  readonly prepare: (message: JsonObject) => Promise<JsonObject> | JsonObject;
  /** To be run over every message to the client: a subscription that was answered, or refused, is over. */
  readonly sent: (message: object) => void;
  /** The URIs under which a resource of a server is watched, each once. */
  readonly urisOf: (server: string, uri: string) => readonly string[];
  readonly close: () => void;
}

export function createListens(createWatches: () => Watches): Listens {
  const open = new Map<JsonValue, Watches>();
  const end = (id: JsonValue) => {
    open.get(id)?.close();
    open.delete(id);
  };

  return {
    prepare(message) {
      const cancelled = cancelledId(message);
      if (cancelled !== undefined) end(cancelled);
      const { id } = message;
      if (!isListen(message) || id === undefined || !namesResources(message)) return message;
      end(id);
      const watches = createWatches();
      open.set(id, watches);
      return watchListened(message, watches);
    },
    sent(message) {
      if (open.size > 0 && 'id' in message && !('method' in message)) end(message.id as JsonValue); // of a JSON-RPC answer
    },
    urisOf: (server, uri) => [...new Set([...open.values()].flatMap((watches) => watches.urisOf(server, uri)))],
    close() {
      for (const id of [...open.keys()]) end(id);
    },
  };
}

function namesResources({ params }: JsonObject): boolean {
  const notifications = isJsonObject(params) ? params.notifications : undefined;
  return isJsonObject(notifications) && notifications.resourceSubscriptions !== undefined;
}

function cancelledId({ method, params }: JsonObject): JsonValue | undefined {
  return method === 'notifications/cancelled' && isJsonObject(params) ? params.requestId : undefined;
}
