// Lists of name patterns in which `*` stands for any run of characters. Compiled once; matching never backtracks.
// Nothing but `*` is special: no classes, no escapes. Case counts, but for names that say otherwise (guard-names.ts).
import { foldName, guardKindOf, withoutMark } from './guard-names.js';

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

/** Allow rules match no guard name. Those that narrow what is allowed, deny and requireApproval, match them as well. */
export type PatternRole = 'allows' | 'narrows';

/** Patterns without a `*` are looked up; only the others are tried one by one. */
export function compilePatterns(patterns: readonly string[], role: PatternRole = 'allows'): PatternSet {
  const exact = new Map<string, number>();
  const wildcards: WildcardPattern[] = [];
  for (const [index, pattern] of patterns.entries()) {
    if (pattern.includes('*')) wildcards.push({ index, pattern, pieces: pattern.split('*') });
    else if (!exact.has(pattern)) exact.set(pattern, index);
  }
  const matchGuard = role === 'narrows' && patterns.length > 0 ? createGuardMatch(patterns) : undefined;
  return Object.freeze({
    isEmpty: patterns.length === 0,
    match(name: string): string | undefined {
      if (name.charCodeAt(0) <= 1) return matchGuard?.(name);
      const exactIndex = exact.get(name);
      for (const { index, pattern, pieces } of wildcards) {
        if (exactIndex !== undefined && exactIndex < index) return name;
        if (piecesMatch(pieces, name)) return pattern;
      }
      return exactIndex === undefined ? undefined : name;
    },
  });
}

/** The patterns are folded when the first name is compared with them: most sets of rules never see one. */
function createGuardMatch(patterns: readonly string[]): PatternSet['match'] {
  const exact = compilePatterns(patterns);
  let folded: { readonly set: PatternSet; readonly originals: ReadonlyMap<string, string> } | undefined;
  return (name) => {
    const text = withoutMark(name);
    if (guardKindOf(name) === 'exact') return exact.match(text);
    folded ??= foldPatterns(patterns);
    const found = folded.set.match(text);
    return found === undefined ? undefined : folded.originals.get(found);
  };
}

/** Each pattern with its pieces folded, and the pattern as it is written by that. A `*` comes of no other character. */
function foldPatterns(patterns: readonly string[]) {
  const originals = new Map<string, string>();
  for (const pattern of patterns) {
    const pieces = pattern.split('*').map((piece) => foldName(piece).replaceAll('*', '\uff0a'));
    const folded = pieces.join('*');
    if (!originals.has(folded)) originals.set(folded, pattern);
  }
  return { set: compilePatterns([...originals.keys()]), originals };
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
