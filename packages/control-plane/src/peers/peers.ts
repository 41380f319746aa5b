// The port to the other daemons that serve the same state: who of them lives, and what is asked of one.
import type { JsonObject } from '@portico/contracts';

/** It does not live any more, or did not answer in time. */
export class PeerUnresponsive extends Error {}

export interface Peers {
  /** Ids of those that live. */
  others(): Promise<readonly string[]>;
  /** Has one do something, and gives its answer. @throws PeerUnresponsive */
  ask(id: string, command: JsonObject): Promise<JsonObject>;
  /** Does what others ask for. Call it once. The returned function ends that. */
  serve(work: (command: JsonObject) => Promise<JsonObject>): () => void;
  /** Calls the listener when some may be gone: what was theirs can be claimed. The returned function ends that. */
  onGone(listener: () => void): () => void;
}

/** For a state that no other daemon serves. */
export const noPeers: Peers = Object.freeze({
  others: async () => [],
  async ask(id: string) {
    throw new PeerUnresponsive(`there is no daemon ${id}`);
  },
  serve: () => () => {},
  onGone: () => () => {},
});
