// The texts of the messages of one batch (2025-03-26), made where they are redacted, not where the batch passes.
import { exactJson, isJsonObject, parseExact } from '@portico/contracts';

/** Messages of a batch that are kept one by one. */
export const maxBatchMessages = 100;
/** Characters of a batch that is read once more. */
export const maxBatchLength = 250_000;

export class BatchTexts {
  readonly #text: string;
  #messages: readonly unknown[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The message at a place among those that are objects, with all digits of its numbers. @throws Error if it has none */
  at(place: number): string {
    this.#messages ??= messagesOf(this.#text);
    return exactJson(this.#messages[place]);
  }
}

function messagesOf(text: string): readonly unknown[] {
  const values: unknown = parseExact(text);
  return Array.isArray(values) ? values.filter(isJsonObject) : [];
}
