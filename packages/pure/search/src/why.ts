// Why a hit is there, in a few words: an answer is read by an agent, which pays for each of them.
import type { SearchHit } from './search-document.js';

const MAX_WORDS = 2;
const MAX_PHRASE_CHARS = 40;

/**
 * The rarest words of the query that the hit has, or else what of its description is nearest in meaning: `near: summary` where that
 * is its summary. Undefined for what no query has found.
 * @param phrase what is nearest; only asked for where no word matched
 */
export function whyOf({ words, similarity }: SearchHit, summary: string, phrase: () => string): string | undefined {
  if (words.length > 0) return words.slice(0, MAX_WORDS).join(', ');
  if (similarity === null) return undefined;
  const near = phrase();
  return summary.startsWith(near) ? 'near: summary' : `near: ${[...near].slice(0, MAX_PHRASE_CHARS).join('')}`;
}
