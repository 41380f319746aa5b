// Lists of name patterns in which `*` matches any run of characters. Compiled once; matching never backtracks. Nothing
// but `*` is special: no classes, no escapes. Case counts, but for names that say otherwise (guard-names.ts).
import { foldName, guardKindOf, withoutMark } from './guard-names.js';
import { type Pieces, patternSpelled } from './pattern-spellings.js';

export interface PatternSet {
  readonly isEmpty: boolean;
  /** The first pattern of the list that matches the whole name. */
  match(name: string): string | undefined;
}

/** One spelling of a pattern, which has its place in the list. */
interface Spelling {
  readonly index: number;
  readonly pieces: Pieces;
}

/** Roles of patterns: `narrows`, for deny and requireApproval, matches every spelling of a name, and guard names. */
export type PatternRole = 'allows' | 'narrows';

/** Patterns without a `*` are looked up; only the others are tried one by one. */
export function compilePatterns(patterns: readonly string[], role: PatternRole = 'allows'): PatternSet {
  const spell = role === 'narrows' ? patternSpelled : (pattern: string) => [pattern.split('*')];
  const spellings = patterns.flatMap((pattern, index) => spell(pattern).map((pieces) => ({ index, pieces })));
  const matchGuard = role === 'narrows' && patterns.length > 0 ? createGuardMatch(patterns, spellings) : undefined;
  return compileSpellings(patterns, spellings, matchGuard);
}

/** @param spellings in the order of the patterns */
function compileSpellings(
  patterns: readonly string[],
  spellings: readonly Spelling[],
  matchGuard?: PatternSet['match'],
): PatternSet {
  const exact = new Map<string, number>();
  const wildcards: Spelling[] = [];
  for (const spelling of spellings) {
    const [text = '', ...rest] = spelling.pieces;
    if (rest.length > 0) wildcards.push(spelling);
    else if (!exact.has(text)) exact.set(text, spelling.index);
  }
  return Object.freeze({
    isEmpty: patterns.length === 0,
    match(name: string): string | undefined {
      if (name.charCodeAt(0) <= 1) return matchGuard?.(name);
      const exactIndex = exact.get(name);
      for (const { index, pieces } of wildcards) {
        if (exactIndex !== undefined && exactIndex < index) break;
        if (piecesMatch(pieces, name)) return patterns[index];
      }
      return exactIndex === undefined ? undefined : patterns[exactIndex];
    },
  });
}

/** The spellings are folded when the first name is compared with them: most sets of rules never see one. */
function createGuardMatch(patterns: readonly string[], spellings: readonly Spelling[]): PatternSet['match'] {
  const exact = compileSpellings(patterns, spellings);
  let folded: PatternSet | undefined;
  const fold = ({ index, pieces }: Spelling): Spelling => ({ index, pieces: pieces.map(foldName) });
  return (name) => {
    const text = withoutMark(name);
    if (guardKindOf(name) === 'exact') return exact.match(text);
    folded ??= compileSpellings(patterns, spellings.map(fold));
    return folded.match(text);
  };
}

/** The leftmost place for each piece leaves the most room for the rest, so that no choice is ever taken back. */
function piecesMatch(pieces: Pieces, name: string): boolean {
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
