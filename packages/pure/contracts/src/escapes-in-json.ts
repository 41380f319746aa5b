// How many escapes a JSON text has, as in "\\n" or "\\u0041". Each takes the engine several times as long as a plain
// character, to read and to write.

const quote = 0x22;
const backslash = 0x5c;

/** Looked at before all of a text is: 1,000 pieces of 64 characters show how dense escapes are to a few per cent. */
const samples = 1000;
const sampleLength = 64;

/** After this many plain characters, the engine searches the next ones. */
const shortRun = 32;

export interface EscapeCount {
  escapes: number;
  /** Where the next backslash is that was looked for; behind it, none has been. */
  backslashAt: number;
}

/** `endOfString` that counts the escapes up to there. One count is for one text, from its start on. */
export function countToEndOfString(text: string, start: number, count: EscapeCount): number {
  let quoteAt = -1;
  for (let i = start; i < text.length; i = count.backslashAt) {
    for (const far = Math.min(i + shortRun, text.length); i < far; i++) {
      const unit = text.charCodeAt(i);
      if (unit === quote) return i;
      if (unit !== backslash) continue;
      count.escapes += 1;
      i += 1;
    }
    if (count.backslashAt < i) count.backslashAt = indexOrEnd(text, '\\', i);
    if (quoteAt < i) quoteAt = indexOrEnd(text, '"', i);
    if (quoteAt < count.backslashAt) return quoteAt;
  }
  return text.length;
}

function indexOrEnd(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from);
  return at === -1 ? text.length : at;
}

/** Whether a text may have more escapes than that: it is long enough, and random pieces of it have half as many. */
export function mayHaveMoreEscapes(text: string, escapes: number): boolean {
  return text.length >= 2 * escapes && estimate(text) > escapes / 2;
}

/** The pieces are at random places, or a server could put its escapes between them. */
function estimate(text: string): number {
  const step = Math.max(sampleLength, Math.floor(text.length / samples));
  let looked = 0;
  let found = 0;
  for (let base = 0; base < text.length; base += step) {
    const from = base + Math.floor(Math.random() * (step - sampleLength + 1));
    const to = Math.min(from + sampleLength, text.length);
    for (let at = from; at < to; at++) {
      looked += 1;
      if (text.charCodeAt(at) !== backslash) continue;
      found += 1;
      looked += 1;
      at += 1; // what is escaped may be a backslash
    }
  }
  return (found * text.length) / looked;
}
