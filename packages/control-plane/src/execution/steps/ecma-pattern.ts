// Translates a pattern of ECMA-262, as JSON Schema uses them, into the syntax of RE2, where classes and escapes have
// another meaning. Features that RE2 lacks (lookaround, references) are left unchanged, and do not compile.

/** White space and line terminators of ECMA-262; of RE2 `\s` is ASCII. */
const spaces = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const noSpaces =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const anything = '[\\x{0}-\\x{10ffff}]';
const nothing = '[^\\x{0}-\\x{10ffff}]';
/** Any character but a line terminator. */
const dot = '[^\\n\\r\\x{2028}\\x{2029}]';

/** An escape, whole: two code units above the BMP are one character. */
const escapeForm =
  /\\(?:u\{([\da-f]+)\}|u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|u([\da-f]{4})|c([a-z])|([pP])\{([^}]*)\}|([\s\S]))/iy;
/** Names of general categories that RE2 knows by their short name alone. */
const categories: Readonly<Record<string, string>> = {
  Letter: 'L',
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Number: 'N',
  Decimal_Number: 'Nd',
  Punctuation: 'P',
  Symbol: 'S',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Control: 'Cc',
};

export function toRe2(pattern: string): string {
  let text = '';
  let isInClass = false;
  for (let at = 0; at < pattern.length; ) {
    const char = pattern.charAt(at);
    if (char === '\\') {
      escapeForm.lastIndex = at;
      const found = escapeForm.exec(pattern);
      text += found === null ? char : escapeOf(found, isInClass);
      at += found?.[0].length ?? 1;
    } else if (isInClass) {
      isInClass = char !== ']';
      text += char === '[' ? '\\[' : char; // `[[:alpha:]]` is no name of a class
      at += 1;
    } else if (char === '[') {
      const whole = wholeClass(pattern, at);
      isInClass = whole === undefined;
      text += whole?.text ?? char;
      at += whole?.length ?? 1;
    } else {
      text += char === '.' ? dot : char;
      at += 1;
    }
  }
  return text;
}

/** A class without members: RE2 takes a `]` that comes first for one. */
function wholeClass(pattern: string, at: number): { readonly text: string; readonly length: number } | undefined {
  if (pattern.startsWith('[]', at)) return { text: nothing, length: 2 };
  return pattern.startsWith('[^]', at) ? { text: anything, length: 3 } : undefined;
}

function escapeOf(
  [whole, braced, high, low, unit, control, property, name, single]: RegExpExecArray,
  isInClass: boolean,
) {
  if (braced !== undefined) return `\\x{${braced}}`;
  if (high !== undefined && low !== undefined) {
    const units = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
    return `\\x{${units.codePointAt(0)?.toString(16)}}`;
  }
  if (unit !== undefined) return `\\x{${unit}}`;
  if (control !== undefined) return `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`;
  if (property !== undefined && name !== undefined) return `\\${property}{${nameOf(name)}}`;
  if (single === 's') return isInClass ? spaces : `[${spaces}]`;
  if (single === 'S') return isInClass ? noSpaces : `[^${spaces}]`;
  return single === 'b' && isInClass ? '\\x{8}' : whole;
}

function nameOf(property: string): string {
  const name = property.replace(/^(?:General_Category|gc|Script|sc|Script_Extensions|scx)=/, '');
  return categories[name] ?? name;
}
