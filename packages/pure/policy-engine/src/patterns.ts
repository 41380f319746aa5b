// Lists of name patterns in which `*` stands for any run of characters. Compiled once; matching never backtracks.
// Nothing but `*` is special: no classes, no escapes, no case folding.

export interface PatternSet {
  readonly isEmpty: boolean;
  /** The first pattern of the list that matches the whole name. */
  match(name: string): string | undefined;
}

interface WildcardPattern {
  readonly index: number;
  readonly pattern: string;
  readonly pieces: readonly string[];
}

/** Patterns without a `*` are looked up; only the others are tried one by one. */
export function compilePatterns(patterns: readonly string[]): PatternSet {
  const exact = new Map<string, number>();
  const wildcards: WildcardPattern[] = [];
  for (const [index, pattern] of patterns.entries()) {
    if (pattern.includes('*')) wildcards.push({ index, pattern, pieces: pattern.split('*') });
    else if (!exact.has(pattern)) exact.set(pattern, index);
  }
  return Object.freeze({
    isEmpty: patterns.length === 0,
    match(name: string): string | undefined {
      const exactIndex = exact.get(name);
      for (const { index, pattern, pieces } of wildcards) {
        if (exactIndex !== undefined && exactIndex < index) return name;
        if (piecesMatch(pieces, name)) return pattern;
      }
      return exactIndex === undefined ? undefined : name;
    },
  });
}

/** The leftmost place for each piece leaves the most room for the rest, so that no choice is ever taken back. */
function piecesMatch(pieces: readonly string[], name: string): boolean {
  const first = pieces[0] ?? '';
  const last = pieces[pieces.length - 1] ?? '';
  const end = name.length - last.length;
  if (first.length > end || !name.startsWith(first) || !name.endsWith(last)) return false;
  let position = first.length;
  for (let i = 1; i < pieces.length - 1; i += 1) {
    const piece = pieces[i] ?? '';
    const found = name.indexOf(piece, position);
    if (found === -1 || found + piece.length > end) return false;
    position = found + piece.length;
  }
  return true;
}
