// From query text to the indexed terms that may answer it: each word by its stem, else by what is close to it.
// Never looks at documents, only at which terms exist and how common they are.
import { findIn } from './layered-map.js';
import { MAX_EXPANSIONS, MAX_QUERY_CHARS, MAX_QUERY_TOKENS, MAX_TYPO_TOKENS } from './limits.js';
import { APPROXIMATE_MATCH_WEIGHT, idealScore, inverseDocumentFrequency } from './ranking.js';
import { isStopWord } from './stop-words.js';
import type { Term, TermIndex } from './term-index.js';
import { tokenize, toStem } from './tokenize.js';
import { wordsOneEditFrom, wordsWithPrefix } from './vocabulary.js';

/** An indexed term and what a match of it is worth. */
export interface WeightedTerm {
  readonly term: Term;
  readonly weight: number;
}

/** A query as it is searched: every word is a list of alternatives, of which a document's best one counts. */
export interface ExpandedQuery {
  /** Every distinct token, stop words included, in order. */
  readonly tokens: readonly string[];
  readonly words: readonly (readonly WeightedTerm[])[];
  /** By place in `words`: the token that it comes from. */
  readonly names: readonly string[];
  /** Places in `words`, the rarest first; of equally rare ones the first of the query. */
  readonly byRarity: readonly number[];
  /** The score of a document that has every word of the query, those included that no document has. */
  readonly ideal: number;
}

/** A shorter word is too likely to be another word when a letter changes. */
const MIN_TYPO_CHARS = 4;

/** A shorter last token is completed only where it is the whole query: at the end of a sentence it is a word. */
const MIN_PREFIX_CHARS = 2;

/** The shortest stem that may match a longer word. */
const MIN_SHORTENED_CHARS = 5;

type IsWord = (token: string) => boolean;

/**
 * Splits, drops stop words (unless there is nothing else), and finds the alternatives of what is left.
 * @param isWord whether a token is a word of the language: `love` is no slip of `move`
 */
export function expandQuery(text: string, index: TermIndex, isWord: IsWord = () => false): ExpandedQuery {
  const all = tokenize(text.slice(0, MAX_QUERY_CHARS), MAX_QUERY_CHARS);
  const tokens = [...new Set(all)];
  const meaningful = tokens.filter((token) => !isStopWord(token));
  const searched = (meaningful.length > 0 ? meaningful : tokens).slice(0, MAX_QUERY_TOKENS);
  const last = all.at(-1);

  const found: (readonly [token: string, alternatives: readonly WeightedTerm[]])[] = [];
  const seen = new Set<string>();
  let typosLeft = MAX_TYPO_TOKENS;
  for (const token of searched) {
    const stem = toStem(token);
    if (seen.has(stem)) continue;
    seen.add(stem);
    const exact = findIn(index.terms, stem);
    const isPrefix = token === last && (token.length >= MIN_PREFIX_CHARS || tokens.length === 1);
    const close = isPrefix ? stemsOfPrefix(token, index) : [];
    if (exact !== undefined || close.length > 0) {
      found.push([token, toAlternatives(exact, close, index)]);
    } else if (typosLeft > 0) {
      typosLeft -= 1;
      found.push([token, toAlternatives(undefined, stemsNear(token, stem, index, isWord), index)]);
    }
  }
  const known = found.filter(([, alternatives]) => alternatives.length > 0);
  const unknown = seen.size - known.length;
  const rarities = known.map(([, alternatives]) => Math.max(...alternatives.map(({ weight }) => weight)));
  return {
    tokens,
    words: known.map(([, alternatives]) => alternatives),
    names: known.map(([token]) => token),
    byRarity: known.map((_, at) => at).sort((a, b) => (rarities[b] ?? 0) - (rarities[a] ?? 0)),
    ideal: idealScore([...rarities, ...Array<number>(unknown).fill(inverseDocumentFrequency(0, index.size))]),
  };
}

function stemsOfPrefix(token: string, index: TermIndex): readonly string[] {
  return wordsWithPrefix(index.vocabulary, token, MAX_EXPANSIONS).map(toStem);
}

/** For a word that the index does not have: the words one slip away, or else the longest stem that it begins with. */
function stemsNear(token: string, stem: string, index: TermIndex, isWord: IsWord): readonly string[] {
  if (token.length < MIN_TYPO_CHARS || /\p{N}/u.test(token)) return [];
  const corrected = isWord(token) ? [] : wordsOneEditFrom(index.vocabulary, token, MAX_EXPANSIONS);
  if (corrected.length > 0) return corrected.map(toStem);
  for (let length = stem.length - 1; length >= MIN_SHORTENED_CHARS; length -= 1) {
    const shortened = stem.slice(0, length);
    if (findIn(index.terms, shortened) !== undefined) return [shortened];
  }
  return [];
}

/** A completion or correction is never rarer, so never worth more, than the commonest word it might have been. */
function toAlternatives(exact: Term | undefined, close: readonly string[], index: TermIndex): readonly WeightedTerm[] {
  const terms = [...new Set(close)].flatMap((stem) => findIn(index.terms, stem) ?? []);
  const others = terms.filter((term) => term !== exact);
  const commonest = Math.max(exact?.documentCount ?? 0, ...others.map((term) => term.documentCount));
  const othersWeight = APPROXIMATE_MATCH_WEIGHT * inverseDocumentFrequency(commonest, index.size);
  const alternatives = others.map((term) => ({ term, weight: othersWeight }));
  if (exact === undefined) return alternatives;
  return [{ term: exact, weight: inverseDocumentFrequency(exact.documentCount, index.size) }, ...alternatives];
}
