// Makes hidden characters in untrusted names and lines visible: control characters, and characters that change the
// direction of text or have no width.

import { writeExactLines } from '@portico/contracts';

export interface Piece {
  readonly text: string;
  /** Whether the piece replaces a character that would not be visible. */
  readonly isHidden: boolean;
}

// Controls, format and direction characters, separators of lines and paragraphs, what may be left out when shown, and
// lone surrogates; not tab, line feed, and the selectors that emoji are written with.
const hidden = /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** The text in pieces, each hidden character a piece of its own as `<U+202E>`. */
export function toPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let plain = '';
  for (const character of text) {
    if (!hidden.test(character)) {
      plain += character;
      continue;
    }
    if (plain !== '') pieces.push({ text: plain, isHidden: false });
    plain = '';
    pieces.push({ text: codeOf(character), isHidden: true });
  }
  if (plain !== '') pieces.push({ text: plain, isHidden: false });
  return pieces;
}

/** As `toPieces`, for places that only take a string: titles and labels. */
export function toVisible(text: string): string {
  return toPieces(text)
    .map((piece) => piece.text)
    .join('');
}

/** JSON to read and edit: the same value to the last digit, with hidden characters as the escapes of JSON. */
export function toVisibleJson(value: unknown): string {
  const characters = [...writeExactLines(value)];
  return characters.map((character) => (hidden.test(character) ? toEscapes(character) : character)).join('');
}

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

function codeOf(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** The first characters (UTF-16 code units), without half of a pair at the end. */
export function cutText(text: string, length: number): string {
  const isHalf = /[\uD800-\uDBFF]/.test(text[length - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[length] ?? '');
  return text.slice(0, isHalf ? length - 1 : length);
}
