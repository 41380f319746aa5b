// Counts bytes without encoding: how long a text is in UTF-8, plain and inside JSON as JSON.stringify writes it.
// Never splits a surrogate pair; a lone surrogate counts as what it becomes: U+FFFD in plain UTF-8, \udXXX in JSON.

/** A prefix of a text, by what it costs. */
export interface Prefix {
  /** In UTF-16 units, at a character boundary. */
  readonly length: number;
  /** UTF-8 bytes of the plain text. */
  readonly textBytes: number;
  /** UTF-8 bytes inside a JSON string, without the quotes. */
  readonly jsonBytes: number;
}

/** The longest prefix whose JSON is at most `maxJsonBytes`; without a limit, the whole text. */
export function measurePrefix(text: string, maxJsonBytes = Number.POSITIVE_INFINITY): Prefix {
  let at = 0;
  let textBytes = 0;
  let jsonBytes = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    const isPair = isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(at + 1));
    const json = isPair ? 4 : jsonBytesOf(unit);
    if (jsonBytes + json > maxJsonBytes) break;
    jsonBytes += json;
    textBytes += isPair ? 4 : textBytesOf(unit);
    at += isPair ? 2 : 1;
  }
  return { length: at, textBytes, jsonBytes };
}

function textBytesOf(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}

function jsonBytesOf(unit: number): number {
  if (unit < 0x20) return isShortEscape(unit) ? 2 : 6;
  if (unit === 0x22 || unit === 0x5c) return 2;
  return isHighSurrogate(unit) || isLowSurrogate(unit) ? 6 : textBytesOf(unit);
}

/** \b \t \n \f \r; every other control character is written \u00XX. */
function isShortEscape(unit: number): boolean {
  return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
