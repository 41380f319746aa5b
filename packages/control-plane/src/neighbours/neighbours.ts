// The port to the other daemons that serve the same state: who of them lives, and what is asked of one.
import type { JsonObject } from '@portico/contracts';

/** It does not live any more, or did not answer in time. */
export class NeighbourSilent extends Error {}

export interface Neighbours {
  /** Ids of those that live. */
  others(): Promise<readonly string[]>;
  /** Has one do something, and gives its answer. @throws NeighbourSilent */
  ask(id: string, errand: JsonObject): Promise<JsonObject>;
  /** Does what others ask for. Call it once. The returned function ends that. */
  serve(work: (errand: JsonObject) => Promise<JsonObject>): () => void;
  /** Calls the listener when some may be gone: what was theirs can be adopted. The returned function ends that. */
  onGone(listener: () => void): () => void;
}

/** Nobody else serves the state. */
export const noNeighbours: Neighbours = Object.freeze({
  others: async () => [],
  async ask(id: string) {
    throw new NeighbourSilent(`there is no daemon ${id}`);
  },
  serve: () => () => {},
  onGone: () => () => {},
});
