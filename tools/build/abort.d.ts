// Abort signals are values without effects, but TypeScript ships their types only with the DOM or Node.
// The rings that compile without either declare the part of the standard they use (WHATWG DOM, section 3).
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare const AbortController: new () => AbortController;
