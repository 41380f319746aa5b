// Members of JSON objects by their place in the text: where one can be put in, and what one takes with it when it goes.
import { getNodeValue, type Node, visit } from 'jsonc-parser';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Marks {
  readonly commas: readonly Span[];
  readonly comments: readonly Span[];
}

export function spanOf({ offset, length }: Node): Span {
  return { start: offset, end: offset + length };
}

/** The member that counts where a key is there twice. */
export function memberOf(object: Node, key: string): Node | undefined {
  return object.children?.findLast(({ children }) => children?.[0] !== undefined && getNodeValue(children[0]) === key);
}

export function valueNodeOf(member: Node | undefined): Node | undefined {
  return member?.children?.[1];
}

/** Commas and comments of a text. */
export function marksOf(text: string): Marks {
  const commas: Span[] = [];
  const comments: Span[] = [];
  visit(text, {
    onSeparator(character, start, length) {
      if (character === ',') commas.push({ start, end: start + length });
    },
    onComment: (start, length) => void comments.push({ start, end: start + length }),
  });
  return { commas, comments };
}

/** Those between two places of a text. */
export function marksBetween(marks: Marks, { start, end }: Span): Marks {
  const isInside = (span: Span) => span.start >= start && span.end <= end;
  return { commas: marks.commas.filter(isInside), comments: marks.comments.filter(isInside) };
}

/** Where the last of some marks ends, or a place before all of them. */
export function endOfMarks({ commas, comments }: Marks, from: number): number {
  return Math.max(from, ...[...commas, ...comments].map(({ end }) => end));
}

/** White space that the line of a place begins with. */
export function lineIndent(text: string, place: number): string {
  const line = text.slice(text.lastIndexOf('\n', place - 1) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** How deep one level is indented in a text; two spaces where it does not say. */
export function indentUnit(text: string): string {
  return /\n([ \t]+)["/}]/.exec(text)?.[1] ?? '  ';
}
