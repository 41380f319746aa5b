// Where a value in free text ends: a quoted text, also in JSON escaped any number of times, a bracketed one, a word.
// A value that is never closed ends with the text.

/** The index after an opening quote and the backslashes in front of it; `start` when there is none. */
export function skipQuotes(text: string, start: number): number {
  let index = start;
  while (text[index] === '\\') index += 1;
  return isQuote(text[index]) ? index + 1 : start;
}

/**
 * @param kind A `header` value goes on where a cookie or the parameters of a challenge do: after `;` or `,`,
 *   and after the authorization scheme.
 * @returns The index after the value, its quotes included.
 */
export function valueEnd(text: string, start: number, kind: 'word' | 'header'): number {
  const pem = pemEnd(text, start);
  if (pem !== undefined) return pem;
  const end = oneEnd(text, start);
  if (kind === 'word' || end === start) return end;
  return headerEnd(text, start, end);
}

/** A PEM block (RFC 7468), which has spaces and line ends in it. */
function pemEnd(text: string, start: number): number | undefined {
  if (!text.startsWith('-----BEGIN', start)) return undefined;
  const footer = text.indexOf('-----END', start);
  const close = footer === -1 ? -1 : text.indexOf('-----', footer + 8);
  return close === -1 ? text.length : close + 5;
}

function headerEnd(text: string, start: number, firstEnd: number): number {
  let end = firstEnd;
  // The scheme is a word of its own; without parameters one more word follows (RFC 9110 section 11.4).
  let goesOn = /^[A-Za-z][A-Za-z\d-]*$/.test(text.slice(start, Math.min(end, start + 64)));
  for (;;) {
    let next = end;
    while (',; \t'.includes(text[next] ?? '-')) next += 1;
    goesOn ||= /[,;]/.test(text.slice(end, next)) && nameAndEquals(text, next);
    if (!goesOn || next === end) return end;
    const nextEnd = oneEnd(text, next);
    if (nextEnd === next) return end;
    end = nextEnd;
    goesOn = false;
  }
}

/** A quoted or bracketed value with what is joined to it, or a word. */
function oneEnd(text: string, start: number): number {
  let end = closedEnd(text, start);
  if (end === undefined) return wordEnd(text, start);
  // A doubled quote is a quote in SQL and CSV, and joins two texts in a shell.
  while (isQuote(text[end]) && text[end] === text[start]) end = closedEnd(text, end) ?? text.length;
  return isPunctuation(text.charAt(end)) ? end : wordEnd(text, end);
}

/** The end of a quoted or bracketed value, if one starts here. */
function closedEnd(text: string, start: number): number | undefined {
  const inside = skipQuotes(text, start);
  if (inside !== start) return quotedEnd(text, inside, inside - start - 1);
  if (text[start] === '{' || text[start] === '[') return bracketEnd(text, start);
  return undefined;
}

/**
 * With `level` backslashes in front of the opening quote, one backslash of the value is written as `level + 1`.
 * An even number of those before a quote leaves it a quote that closes; fewer than `level` close what is around it.
 */
function quotedEnd(text: string, inside: number, level: number): number {
  const quote = text[inside - 1];
  let backslashes = 0;
  for (let i = inside; i < text.length; i += 1) {
    if (text[i] === '\\') backslashes += 1;
    else {
      if (text[i] === quote) {
        if (backslashes < level) return i - backslashes;
        if (Math.floor((backslashes - level) / (level + 1)) % 2 === 0) return i + 1;
      }
      backslashes = 0;
    }
  }
  return text.length;
}

function bracketEnd(text: string, start: number): number {
  let depth = 0;
  let i = start;
  while (i < text.length) {
    let quoteAt = i;
    while (text[quoteAt] === '\\') quoteAt += 1;
    if (text[quoteAt] === '"') {
      i = quotedEnd(text, quoteAt + 1, quoteAt - i);
      continue;
    }
    i = quoteAt;
    const character = text[i];
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    i += 1;
    if (depth === 0) return i;
  }
  return text.length;
}

/** White space ends a word; punctuation does where white space, a quote's end or another `name=` comes after it. */
function wordEnd(text: string, start: number): number {
  let i = start;
  while (i < text.length) {
    const character = text.charAt(i);
    if (/\s/.test(character)) return i;
    if (character === '=' && i > start) {
      i = closedEnd(text, i + 1) ?? i + 1;
      continue;
    }
    if (!isPunctuation(character)) {
      i += 1;
      continue;
    }
    let after = i;
    while (after < text.length && isPunctuation(text.charAt(after))) after += 1;
    const run = text.slice(i, after + 1);
    if (after === text.length || /\s/.test(text.charAt(after)) || /["'`][,:\]})]/.test(run)) return i;
    if (/[,;&]/.test(run) && nameAndEquals(text, after)) return i;
    i = after;
  }
  return i;
}

/** Whether a name and then `=` or `:` come next, as far as 64 characters show. */
function nameAndEquals(text: string, start: number): boolean {
  return /^[\p{L}\p{N}_.-]+[\\"'`]*[ \t]*[:=]/u.test(text.slice(start, start + 64));
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'" || character === '`';
}

function isPunctuation(character: string): boolean {
  return character !== '' && '"\'`,;&)}]>\\|'.includes(character);
}
