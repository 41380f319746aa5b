// Two texts of a changed field, word by word: the one rule by which the command and the console show a change. In an entry
// point of its own, since only those who show a difference load the library.
import { diffArrays } from 'diff';

/** A run of words. `removed` is only in the text before, `added` only in the text after. */
export interface WordPart {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** A line of both texts, or how many unchanged lines were left out. */
export type DiffRow =
  | { readonly kind: 'line'; readonly parts: readonly WordPart[] }
  | { readonly kind: 'gap'; readonly lines: number };

/** Words that two texts may differ in. Texts with more differences are shown one after the other. */
const maxEdits = 1000;
/** Unchanged lines that are kept before and after a changed one. */
const context = 2;

/**
 * Returns the words of both texts in their order, white space as it is. Null is a text that is absent.
 *
 * @param before as it was accepted
 * @param after as it is now
 */
export function wordDiff(before: string | null, after: string | null): readonly WordPart[] {
  const found =
    before === null || after === null
      ? undefined
      : diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: maxEdits });
  if (found === undefined) return [...partsOf('removed', before), ...partsOf('added', after)];
  return found.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value.join(''),
  }));
}

/** A version or another number with dots is one word, so that it is shown as a whole. */
const words = /\d+(?:\.\d+)+|[\p{L}\p{M}\p{N}_]+|\n|[^\S\n]+|[^\p{L}\p{M}\p{N}_\s]/gu;

function wordsOf(text: string): string[] {
  return text.match(words) ?? [];
}

/** Returns the same in lines, without those that are far from every change. */
export function wordDiffLines(before: string | null, after: string | null): readonly DiffRow[] {
  const lines = toLines(wordDiff(before, after));
  const isKept = lines.map(() => false);
  for (const [at, line] of lines.entries()) {
    if (line.every(({ kind }) => kind === 'same')) continue;
    for (let near = Math.max(0, at - context); near <= Math.min(lines.length - 1, at + context); near += 1)
      isKept[near] = true;
  }
  return withGaps(lines, isKept);
}

function partsOf(kind: 'added' | 'removed', text: string | null): readonly WordPart[] {
  return text === null || text === '' ? [] : [{ kind, text }];
}

function toLines(parts: readonly WordPart[]): readonly (readonly WordPart[])[] {
  const lines: WordPart[][] = [];
  let open: WordPart[] = [];
  for (const [at, { kind, text }] of parts.entries()) {
    // Where a whole text follows another one, it begins on a line of its own.
    if (kind === 'added' && at === 1 && parts.length === 2 && parts[0]?.kind === 'removed') {
      lines.push(open);
      open = [];
    }
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) {
        lines.push(open);
        open = [];
      }
      if (line !== '') open.push({ kind, text: line });
    }
  }
  lines.push(open);
  return lines;
}

function withGaps(lines: readonly (readonly WordPart[])[], isKept: readonly boolean[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let left = 0;
  const close = () => {
    if (left > 0) rows.push({ kind: 'gap', lines: left });
    left = 0;
  };
  for (const [at, parts] of lines.entries()) {
    if (isKept[at] !== true) {
      left += 1;
      continue;
    }
    close();
    rows.push({ kind: 'line', parts });
  }
  close();
  return rows;
}
