// What an upstream has asked during a request and the caller is to answer by coming back: made when it asks.
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

  /** @param onAsked called after questions were put: once they are together that are asked at once */
  constructor(onAsked: () => void) {
    this.#onAsked = onAsked;
  }

  get size(): number {
    return this.#asked.size;
  }

  /** Puts a question for the next turn of the caller. */
  ask(question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const asked = this.#asked;
      this.#count += 1;
      const key = `q${this.#count}`;
      const drop = () => {
        asked.delete(key);
        reject(signal.reason);
      };
      signal.addEventListener('abort', drop, { once: true });
      asked.set(key, {
        question,
        resolve(answer) {
          asked.delete(key);
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

  /** What is asked and not answered. */
  open(): Questions {
    return new Map([...this.#asked].map(([key, { question }]) => [key, question]));
  }
}
