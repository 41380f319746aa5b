// Maximum texts in one request. Endpoints have undocumented limits of their own.

const maxTexts = 64;
const maxBatchChars = 200_000;
/** Maximum length of one text: about 2,000 tokens of English. */
const maxTextChars = 8_000;
/** Shorter texts are not cut further: they are not refused for their length. */
const minTextChars = 400;

/** In the order of the texts, each cut to its limit. An empty one, which endpoints refuse, becomes a space. */
export function inBatches(texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let chars = 0;
  for (const text of texts) {
    const cut = text === '' ? ' ' : cutAt(text, maxTextChars);
    const last = batches.at(-1);
    if (last === undefined || last.length === maxTexts || chars + cut.length > maxBatchChars) {
      batches.push([cut]);
      chars = cut.length;
    } else {
      last.push(cut);
      chars += cut.length;
    }
  }
  return batches;
}

/** The first half of a text that was refused; undefined if that would be too little. */
export function shortened(text: string): string | undefined {
  return text.length < minTextChars * 2 ? undefined : cutAt(text, Math.ceil(text.length / 2));
}

/** Never through the middle of a character. */
function cutAt(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.length < text.length && /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
