// Finds the phrases of `words.json` in pieces of prose.

/**
 * @typedef {object} Phrase
 * @property {string} match a regular expression; letter case does not count, and a space matches a line break in a comment
 * @property {string} instead what to write
 * @property {boolean} [opens] it counts only where it opens a sentence that is no question
 */

/**
 * @param {readonly import('./prose.mjs').Prose[]} prose
 * @param {readonly Phrase[]} phrases
 * @returns {{ at: number, text: string, instead: string }[]} `at` is the index in the file
 */
export function findPhrases(prose, phrases) {
  const rules = phrases.map(toRule);
  return prose
    .flatMap(({ text, start, isHeading }) =>
      rules.flatMap(({ pattern, instead, opens }) =>
        opens && isHeading
          ? []
          : [...text.matchAll(pattern)].map((found) => ({ at: start + found.index, text: found[0], instead })),
      ),
    )
    .sort((a, b) => a.at - b.at);
}

/** Where a sentence begins: at the start, behind the end of another, behind a tag, a bullet or the border of a cell. */
const sentenceStart = String.raw`(?<=^\s*|[.!?]["')\x60]*\s+|[|:]\s+|@\w+(?:\s+\w+)?\s+|[-*]\s+|\n\s*\n\s*)`;

function toRule({ match, instead, opens = false }) {
  const words = match.replaceAll(' ', String.raw`\s+`);
  const notAsked = String.raw`(?![^.!?]*\?|\s*\||\s*$)`;
  const pattern = opens
    ? new RegExp(`${sentenceStart}(?:${words})\\b${notAsked}`, 'g')
    : new RegExp(`\\b(?:${words})\\b`, 'gi');
  return { pattern, instead, opens };
}
