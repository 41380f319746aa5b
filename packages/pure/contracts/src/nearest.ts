// The known word that a misspelt one probably stands for.

/** Undefined where none of the words is close: more than a third of it, and more than one character, would change. */
export function nearestOf(word: string, known: readonly string[]): string | undefined {
  if (word.length > maxLength) return undefined;
  const given = word.toLowerCase();
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const edits = editsBetween(given, candidate.toLowerCase());
    if (edits >= fewest || edits > Math.max(1, candidate.length / 3)) continue;
    nearest = candidate;
    fewest = edits;
  }
  return nearest;
}

/** Longer ones are no misspelt words of a list. */
const maxLength = 64;

/** Levenshtein distance. */
function editsBetween(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const swap = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** `did you mean "x"? (known are x, y)`, or only the second half. */
export function suggestion(word: string, known: readonly string[]): string {
  const nearest = nearestOf(word, known);
  const all = `known are ${known.join(', ')}`;
  return nearest === undefined ? all : `did you mean "${nearest}"? (${all})`;
}
