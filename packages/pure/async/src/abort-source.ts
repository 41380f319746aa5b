// Aborts work as an AbortController does, for a fraction of its cost: made for every call, listened to by few.

/** Called at the abort. An object needs no function of its own for each call, as in the DOM (`EventListenerObject`). */
export type AbortListener = (() => void) | { handleEvent(): void };

/** The part of an `AbortSignal` that work needs to be cancelled. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  /** Why it aborted; undefined before. */
  readonly reason: unknown;
  /** The listener is called once, at the abort; not at all where that was before. */
  addEventListener(type: 'abort', listener: AbortListener, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: AbortListener): void;
  /** @throws the reason, where it has aborted */
  throwIfAborted(): void;
}

/** A signal with its controller in one object. The fields are for `abort` alone to change. */
export class AbortSource implements AbortSignalLike {
  aborted = false;
  reason: unknown;
  /** Most have one listener, which needs no list. */
  #first: AbortListener | undefined;
  /** Listeners after the first; empty if there is no first. */
  #others: AbortListener[] | undefined;

  /**
   * The first abort counts. Listeners are called in the order in which they were added, each that is still there when
   * its turn comes; an exception of one is an unhandled rejection, and the others are still called.
   */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (let next = this.#first; next !== undefined; next = this.#first) {
      this.#first = this.#others?.shift();
      try {
        if (typeof next === 'function') next();
        else next.handleEvent();
      } catch (error) {
        void Promise.reject(error);
      }
    }
  }

  addEventListener(_type: 'abort', listener: AbortListener): void {
    if (this.aborted || this.#first === listener) return;
    if (this.#first === undefined) this.#first = listener;
    else if (this.#others === undefined) this.#others = [listener];
    else if (!this.#others.includes(listener)) this.#others.push(listener);
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    if (this.#first === listener) {
      this.#first = this.#others?.shift();
      return;
    }
    const at = this.#others?.indexOf(listener) ?? -1;
    if (at !== -1) this.#others?.splice(at, 1);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}

/**
 * For functions that accept no other: the given signal where it is the platform's, else one of the platform that
 * follows it.
 */
export function toAbortSignal(signal: AbortSignalLike): AbortSignal {
  if ('onabort' in signal) return signal as AbortSignal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  signal.addEventListener('abort', () => controller.abort(signal.reason));
  return controller.signal;
}
