// The known word that a misspelt one probably means.

/** Undefined if none of the words is close: more than a third of it, and more than one character, would change. */
export function nearestOf(word: string, known: readonly string[]): string | undefined {
  return nearOnes(word, known, 1)[0];
}

/** The nearest first, as close as for `nearestOf`. */
export function nearOnes(word: string, known: readonly string[], limit = 3): readonly string[] {
  if (word.length > maxLength) return [];
  const given = word.toLowerCase();
  return known
    .map((candidate) => ({ candidate, edits: editsBetween(given, candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, candidate.length / 3))
    .sort((one, other) => one.edits - other.edits)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** Longer ones are no misspelt words of a list. */
const maxLength = 64;

/**
 * Levenshtein distance, with two letters the wrong way round as one edit (optimal string alignment). Its time grows with
 * the product of the lengths.
 */
export function editsBetween(a: string, b: string): number {
  let before: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    before = previous;
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
