// Listeners for kept records.

export interface Listeners {
  /** The returned function ends that. */
  add(listener: () => void): () => void;
  notify(): void;
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    notify() {
      for (const listener of listeners) queueMicrotask(listener); // what one of them throws is not the writer's
    },
  };
}
