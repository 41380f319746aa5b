// The questions of an upstream during a request that the caller answers in a later request: created with the first
// question.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type { ServerRequest } from '@portico/upstream-pool';

/** Questions by the keys that their answers come back under. */
export type Questions = ReadonlyMap<string, ServerRequest>;

interface Asked {
  readonly question: ServerRequest;
  readonly resolve: (answer: JsonObject) => void;
}

export class PendingQuestions {
  readonly #asked = new Map<string, Asked>();
  readonly #onAsked: () => void;
  #count = 0;
  #noneOpen: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  /** @param onAsked called after questions were put: once they are together that are asked at once */
  constructor(onAsked: () => void) {
    this.#onAsked = onAsked;
  }

  get size(): number {
    return this.#asked.size;
  }

  /** Puts a question for the next turn of the caller. @param name that its answer comes back under */
  ask(question: ServerRequest, signal: AbortSignalLike, name?: string): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const asked = this.#asked;
      this.#count += 1;
      const key = name ?? `q${this.#count}`;
      const drop = () => {
        this.#close(key);
        reject(signal.reason);
      };
      signal.addEventListener('abort', drop, { once: true });
      asked.set(key, {
        question,
        resolve: (answer) => {
          this.#close(key);
          signal.removeEventListener('abort', drop);
          resolve(answer);
        },
      });
      void Promise.resolve().then(this.#onAsked);
    });
  }

  /** Hands in answers; those to nothing that is open are ignored. */
  answer(responses: Readonly<Record<string, JsonObject>>): void {
    for (const [key, answer] of Object.entries(responses)) this.#asked.get(key)?.resolve(answer);
  }

  /** Resolves once no question is open: what was asked may be answered elsewhere as well. */
  noneOpen(): Promise<void> {
    if (this.#asked.size === 0) return Promise.resolve();
    if (this.#noneOpen === undefined) {
      let resolve = () => {};
      const promise = new Promise<void>((resolved) => {
        resolve = resolved;
      });
      this.#noneOpen = { promise, resolve };
    }
    return this.#noneOpen.promise;
  }

  #close(key: string): void {
    this.#asked.delete(key);
    if (this.#asked.size > 0 || this.#noneOpen === undefined) return;
    this.#noneOpen.resolve();
    this.#noneOpen = undefined;
  }

  /** Open questions. */
  open(): Questions {
    return new Map([...this.#asked].map(([key, { question }]) => [key, question]));
  }
}
