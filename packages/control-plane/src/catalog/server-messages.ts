// Log messages that servers send outside of calls, passed to the current listeners. No message is kept.
import type { JsonObject } from '@portico/contracts';

export type ServerMessageListener = (server: string, message: JsonObject) => void;

export interface ServerMessages {
  publish: ServerMessageListener;
  /** Gives the function that ends it. */
  subscribe(listener: ServerMessageListener): () => void;
}

export function createServerMessages(): ServerMessages {
  const listeners = new Set<ServerMessageListener>();
  return {
    publish(server, message) {
      for (const listener of listeners) listener(server, message);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
