// Text of upstreams, tickets and configurations as a terminal may show it: what would move the cursor, change colours,
// reorder or hide letters is shown as a sign of its own. Never lets a control character through.

import { exactJson, exactJsonLines } from './exact-numbers.js';

/** One line: line ends become signs too. */
export function toPlainText(text: string): string {
  return text
    .replaceAll('\t', ' ')
    .replace(/\p{Cs}/gu, '\ufffd') // halves of letters
    .replace(hidden, (character) => (joiners.has(character) ? character : toSign(character)));
}

/** The same, line by line. */
export function toPlainLines(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/).map(toPlainText);
}

/**
 * JSON as a terminal may see it: JSON.stringify leaves DEL, C1 controls and marks of direction as they are.
 * @param indent of each level; without it all is one line
 */
export function toPlainJson(value: unknown, indent?: 2): string {
  const text = indent === undefined ? exactJson(value) : exactJsonLines(value);
  return text.replace(hidden, (character) =>
    character === '\n' || joiners.has(character) ? character : toEscapes(character),
  );
}

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu;

/** They belong to emoji and to scripts that need them, and hide nothing. */
const joiners: ReadonlySet<string> = new Set(['\u200c', '\u200d']);

/** Control characters have pictures of their own in Unicode (U+2400); the others are written as JSON would. */
function toSign(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return code <= 0xffff ? toEscapes(character) : `\\u{${code.toString(16)}}`;
}

/** As JSON writes it: an escape for each UTF-16 unit. */
function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
