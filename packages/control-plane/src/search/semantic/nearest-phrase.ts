// The sentence of a description that is nearest to a query.
import type { TextModel } from './text-model.js';

/** Sentences of a description that are looked at, and characters of each. */
const maxSentences = 4;
const maxChars = 160;

/** @param query its vector, of length 1 */
export function nearestPhraseBy(model: TextModel, query: Float32Array): (text: string) => string {
  return (text) => {
    let best = { phrase: '', nearness: Number.NEGATIVE_INFINITY };
    for (const phrase of sentencesOf(text)) {
      const nearness = model.embed(phrase).reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0);
      if (nearness > best.nearness) best = { phrase, nearness };
    }
    return best.phrase;
  };
}

function sentencesOf(text: string): readonly string[] {
  const read = text.slice(0, maxSentences * maxChars).split(/(?<=[.!?;])\s|\n/);
  const sentences = read.map((part) => part.trim().slice(0, maxChars)).filter((part) => part !== '');
  return sentences.slice(0, maxSentences);
}
