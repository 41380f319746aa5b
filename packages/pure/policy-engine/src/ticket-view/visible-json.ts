// Untrusted text as shown to a person who decides: quoted as JSON, with every character that hides, reorders or
// imitates a line end written as an escape. A backslash of the text is doubled, so no text can imitate an escape.
//
// Controls, format and direction characters, lone surrogates, private use, unassigned code points, separators, spaces
// other than U+0020, ignorable characters, and letters that are blank: the Braille pattern, the Khitan filler and the
// musical null note.
const hidden = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}]/gu;

/** Marks that would cover the opening quote, and the fifth and later ones of a letter: a tower of them covers other lines. */
const covering = /(?<=^"|\p{M}{4})\p{M}/gu;

/** This many spaces look like the end of a text. */
const blank = / {17,}/g;

const plainKey = /^[A-Za-z_][\w-]*$/;

/** A JSON string in which each hidden character is `\u{<hex>}`, and a long run of spaces `\u{20 × <how many>}`. */
export function visibleJson(text: string): string {
  return JSON.stringify(text) // escapes C0 controls already
    .replace(covering, toEscape)
    .replace(hidden, toEscape)
    .replace(blank, (run) => `\\u{20 × ${run.length}}`);
}

function toEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A key name as it is where it is a plain word, else as `visibleJson`. */
export function visibleKey(key: string): string {
  return plainKey.test(key) ? key : visibleJson(key);
}

export interface Cut {
  readonly text: string;
  readonly isCut: boolean;
}

/** At most this many characters (UTF-16 units) from the start, never half of a surrogate pair. */
export function cutText(text: string, maxLength: number): Cut {
  if (text.length <= maxLength) return { text, isCut: false };
  const last = text.charCodeAt(maxLength - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return { text: text.slice(0, isHalf ? maxLength - 1 : maxLength), isCut: true };
}

/** A quoted text, cut where it is longer, and how long it is where that matters. */
export function visibleText(text: string, maxLength: number): Cut {
  const cut = cutText(text, maxLength);
  if (!cut.isCut) {
    const note = text.length > worthCounting ? ` (${count(text.length, 'character')})` : '';
    return { text: visibleJson(text) + note, isCut: false };
  }
  return {
    text: `${visibleJson(cut.text)}… (first ${cut.text.length} of ${count(text.length, 'character')})`,
    isCut: true,
  };
}

const worthCounting = 80;

/** A number with its noun, thousands apart. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${String(n).replace(/\B(?=(\d{3})+$)/g, ',')} ${n === 1 ? one : many}`;
}
