// The one-line summary of a capability: the first sentence of its description, short enough for a compact list.

const maxLength = 160;

/** First sentence of a text on one line, at most 160 characters; a longer one is cut and ends in `…`. */
export function firstSentence(text: string): string {
  const start = text
    .trimStart()
    .slice(0, 4000)
    .replace(/[\uD800-\uDBFF]$/, ''); // never half a character
  const paragraph = start.split(/\n\s*\n/, 1)[0] ?? '';
  const line = paragraph.replace(/\s+/g, ' ').trim();
  const end = sentenceEnd(line);
  return truncate(end === -1 ? line : line.slice(0, end));
}

/**
 * A sentence ends at `.`, `!` or `?` before a space that no lower-case letter follows, or at `。`. The point of "e.g."
 * and "i.e." never ends one.
 */
function sentenceEnd(line: string): number {
  const match = /(?<!\b(?:[Ee]\.g|[Ii]\.e))[.!?](?= (?!\p{Ll}))|[。！？]/u.exec(line);
  return match === null ? -1 : match.index + 1;
}

function truncate(text: string): string {
  const characters = [...text];
  return characters.length <= maxLength
    ? text
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`;
}
