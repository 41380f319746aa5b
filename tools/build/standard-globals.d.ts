// Abort signals, URLs and UTF-8 are values without effects, but TypeScript ships their types only with the DOM or Node.
// The rings that compile without either declare the part of the standards they use (WHATWG DOM, section 3; WHATWG URL; WHATWG
// Encoding).
type AbortEventListener = (() => void) | { handleEvent(): void };

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: AbortEventListener, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: AbortEventListener): void;
}

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare const AbortController: new () => AbortController;

declare const TextEncoder: new () => {
  encodeInto(text: string, bytes: Uint8Array): { readonly written: number };
};

declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };

declare const URL: {
  new (url: string): { readonly href: string };
  canParse(url: string): boolean;
};
