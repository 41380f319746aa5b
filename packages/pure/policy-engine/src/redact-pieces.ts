// Redacts `key=value` and `key: value` pieces of free text, JSON and escaped JSON among them, and bearer tokens.
// Reads from left to right and never goes back over a value, so that it takes linear time for any text.
import { type RedactKeys, redacted } from './redact-keys.js';
import { skipQuotes, valueEnd } from './value-end.js';

/** A secret to replace: text from `start` up to `end`, by the mark between `quote`s. */
interface Secret {
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

interface Key {
  readonly name: string;
  /** The quote after the key, with the backslashes that escape it; empty for a bare key. */
  readonly quote: string;
}

/** Every text that stays is a slice of the given one. */
export function redactPieces(keys: RedactKeys, text: string): string {
  const anchors = /[:=]|\bbearer(?:[ \t]|%20)+/gi;
  let out = '';
  let copied = 0;
  for (let anchor = anchors.exec(text); anchor !== null; anchor = anchors.exec(text)) {
    const secret =
      anchor[0].length === 1
        ? secretAfterKey(keys, text, anchor.index, copied)
        : secretAt(text, anchors.lastIndex, '', 'word');
    if (secret === undefined) continue;
    out += text.slice(copied, secret.start) + secret.quote + redacted + secret.quote;
    copied = secret.end;
    anchors.lastIndex = secret.end;
  }
  return copied === 0 ? text : out + text.slice(copied);
}

function secretAfterKey(keys: RedactKeys, text: string, separator: number, from: number): Secret | undefined {
  const key = keyBefore(keys, text, separator, from);
  if (key === undefined) return undefined;
  let start = separator + 1;
  // `=>`, `:=`, `==` and the like.
  while (start < text.length && ':=>'.includes(text.charAt(start))) start += 1;
  const space = key.quote === '' ? ' \t' : ' \t\r\n';
  while (start < text.length && space.includes(text.charAt(start))) start += 1;
  const isHeader = /(?:authorization|cookie)$/i.test(key.name);
  return secretAt(text, start, key.quote, isHeader ? 'header' : 'word');
}

function secretAt(text: string, start: number, keyQuote: string, kind: 'word' | 'header'): Secret | undefined {
  const end = valueEnd(text, start, kind);
  if (end === start) return undefined;
  const quote = text.slice(start, skipQuotes(text, start));
  if (quote !== '') return { start, end, quote };
  return { start, end, quote: keyQuote };
}

/** The redacted key that ends right before a separator, but for white space and quotes. */
function keyBefore(keys: RedactKeys, text: string, separator: number, from: number): Key | undefined {
  let end = separator;
  while (end > from && ' \t\r\n'.includes(text.charAt(end - 1))) end -= 1;
  const last = text.charAt(end - 1);
  // `user[password]=x`
  if (last === ']') return bareKey(keys, text, end - 1, from);
  if (last !== '"' && last !== "'" && last !== '`') return bareKey(keys, text, end, from);
  const quoteEnd = end;
  end -= 1;
  while (end > from && text.charAt(end - 1) === '\\') end -= 1;
  const longest = keys.lengths[0] ?? 0;
  // Only as many characters are looked at as the longest key can take, with each of its characters escaped.
  const window = text.slice(Math.max(from, end - longest * 24 - 16), end);
  return quotedKey(keys, window, text.slice(end, quoteEnd));
}

function quotedKey(keys: RedactKeys, window: string, quote: string): Key | undefined {
  const written = window.slice(window.lastIndexOf(quote.charAt(quote.length - 1)) + 1);
  const name = written
    .replace(/\\+u([\dA-Fa-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\\', '');
  return keys.has(name) ? { name, quote } : undefined;
}

/** A whole name, in front of which there may be dashes, as of a command line option, but no other name character. */
function bareKey(keys: RedactKeys, text: string, end: number, from: number): Key | undefined {
  for (const length of keys.lengths) {
    const start = end - length;
    if (start < from || length === 0) continue;
    const name = text.slice(start, end);
    if (!keys.has(name)) continue;
    let before = start;
    while (before > from && '-_'.includes(text.charAt(before - 1))) before -= 1;
    if (before === from || !/[\p{L}\p{N}]/u.test(text.charAt(before - 1))) return { name, quote: '' };
  }
  return undefined;
}
