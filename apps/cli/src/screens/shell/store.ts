// The state of a screen: replaced, never edited, and passed to its renderer.

export interface Store<State> {
  get(): State;
  update(change: (state: State) => State): void;
  /** Gives the function that ends it. */
  subscribe(listener: () => void): () => void;
}

export function createStore<State>(initial: State): Store<State> {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    update(change) {
      state = change(state);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
