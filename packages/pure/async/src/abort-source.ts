// Aborts work as an AbortController does, for a fraction of its cost: made for every call, listened to by few.

/** What work needs of the signal that ends it early. Every `AbortSignal` is one. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  /** Why it aborted; undefined before. */
  readonly reason: unknown;
  /** The listener is called once, at the abort; not at all where that was before. */
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
  /** @throws the reason, where it has aborted */
  throwIfAborted(): void;
}

/** A signal with its controller in one object. */
export class AbortSource implements AbortSignalLike {
  #aborted = false;
  #reason: unknown;
  #listeners: (() => void)[] | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /**
   * The first abort counts. Listeners are called in the order in which they were added, each that is still there when its
   * turn comes; what one throws is an unhandled rejection, and the others are called all the same.
   */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    for (let next = this.#listeners?.shift(); next !== undefined; next = this.#listeners?.shift()) {
      try {
        next();
      } catch (error) {
        void Promise.reject(error);
      }
    }
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#aborted) return;
    if (this.#listeners === undefined) this.#listeners = [listener];
    else if (!this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const listeners = this.#listeners;
    const at = listeners?.indexOf(listener) ?? -1;
    if (listeners === undefined || at === -1) return;
    if (at === listeners.length - 1)
      listeners.pop(); // most have one, and the list that `splice` gives is garbage
    else listeners.splice(at, 1);
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }
}

/** For what takes no other: the given signal where it is the platform's, else one of the platform that follows it. */
export function toAbortSignal(signal: AbortSignalLike): AbortSignal {
  if ('onabort' in signal) return signal as AbortSignal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  signal.addEventListener('abort', () => controller.abort(signal.reason));
  return controller.signal;
}
