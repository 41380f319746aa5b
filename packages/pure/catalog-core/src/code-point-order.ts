// The order of every list in Portico: by code point, so that it is the same in every language a client is written in.

/** Compares two texts by code point; `<` compares UTF-16 code units and differs beyond U+FFFF. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates encode code points above all others, but their units lie below U+E000. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Units from which on the order of code units may be another than that of code points. */
const highUnit = /[\ud800-\uffff]/;

/** Sorts in place. Ids of other characters, as nearly all are, are compared by the engine, in half the time. */
export function sortById(entries: { readonly id: string }[]): void {
  const hasHigh = entries.some(({ id }) => highUnit.test(id));
  if (hasHigh) entries.sort((a, b) => compareCodePoints(a.id, b.id));
  else entries.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
