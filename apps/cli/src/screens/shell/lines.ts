// A screen as data: lines of pieces, each with a tone. Tones only add to what words and signs say already.
import stringWidth from 'string-width';
import { toPlainText } from '../../output/plain-text.js';

export type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'warning' | 'bad';

export interface Piece {
  readonly text: string;
  readonly tone: Tone;
}

export interface Line {
  readonly pieces: readonly Piece[];
  readonly isSelected: boolean;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export type ToLines<State> = (state: State, size: Size) => readonly Line[];

/** Every drawn text passes through here. */
export function piece(text: string, tone: Tone = 'plain'): Piece {
  return { text: toPlainText(text), tone };
}

export function line(...pieces: readonly (string | Piece)[]): Line {
  return { pieces: pieces.map((each) => (typeof each === 'string' ? piece(each) : each)), isSelected: false };
}

export function selected(shown: Line, isSelected: boolean): Line {
  return { ...shown, isSelected };
}

export const blank: Line = line('');

/** Plain text of exactly this many columns; longer text ends in an ellipsis. */
export function fit(text: string, columns: number): string {
  const plain = toPlainText(text);
  const width = stringWidth(plain);
  if (width <= columns) return plain + ' '.repeat(columns - width);
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(plain)) {
    if (stringWidth(kept + segment) > columns - 1) break;
    kept += segment;
  }
  return `${kept}…${' '.repeat(Math.max(0, columns - 1 - stringWidth(kept)))}`;
}

/** Plain text in pieces of at most this many columns, without loss. */
export function wrap(text: string, columns: number): readonly string[] {
  const plain = toPlainText(text);
  const room = Math.max(2, columns); // a wide letter takes two
  if (plain.length <= room && stringWidth(plain) <= room) return [plain];
  const lines: string[] = [];
  let kept = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(plain)) {
    const more = stringWidth(segment);
    if (width + more > room) {
      lines.push(kept);
      kept = '';
      width = 0;
    }
    kept += segment;
    width += more;
  }
  return [...lines, kept];
}

/** As many of the rows as there is room for, with the one at `index` among them. */
export function around<T>(rows: readonly T[], index: number, room: number): readonly T[] {
  if (rows.length <= room) return rows;
  const start = Math.min(Math.max(0, index - Math.floor(room / 2)), rows.length - room);
  return rows.slice(start, start + Math.max(0, room));
}

/** Fills the middle so that the foot is at the bottom, and leaves out of the middle what there is no room for. */
export function page(
  head: readonly Line[],
  middle: readonly Line[],
  foot: readonly Line[],
  rows: number,
): readonly Line[] {
  const room = Math.max(0, rows - head.length - foot.length);
  const shown = middle.slice(0, room);
  const filler = Array.from({ length: room - shown.length }, () => blank);
  return [...head, ...shown, ...filler, ...foot].slice(0, rows);
}
