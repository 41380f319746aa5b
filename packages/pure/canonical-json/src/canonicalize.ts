// The canonical form of JSON (RFC 8785): equal values give equal text, whatever the order of their keys.
// It never accepts what JSON cannot say: no functions, no NaN, no cycles, no lone surrogates.

/** Canonical text of a JSON value. Object members that are `undefined` are left out. @throws TypeError for anything else */
export function canonicalize(value: unknown): string {
  return write(value, 0);
}

const maxDepth = 1000;

/** Loops, since every call comes by here. */
function write(value: unknown, depth: number): string {
  if (depth > maxDepth) throw new TypeError(`JSON nested deeper than ${maxDepth} levels has no canonical form`);
  if (typeof value === 'string') return writeString(value);
  if (typeof value === 'number') return writeNumber(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return writeArray(value, depth);
  if (typeof value === 'object') return writeObject(value as Readonly<Record<string, unknown>>, depth);
  throw new TypeError(`a ${typeof value} has no canonical form`);
}

function writeArray(items: readonly unknown[], depth: number): string {
  let text = '[';
  for (let at = 0; at < items.length; at += 1) {
    if (at > 0) text += ',';
    text += write(items[at], depth + 1);
  }
  return `${text}]`;
}

/** RFC 8785, 3.2.3: members sorted by the UTF-16 code units of their names, which is how JavaScript compares strings. */
function writeObject(members: Readonly<Record<string, unknown>>, depth: number): string {
  let text = '';
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member !== undefined) text += `${text === '' ? '{' : ','}${writeString(name)}:${write(member, depth + 1)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** RFC 8785, 3.2.2.3: numbers as ECMAScript writes them, with -0 as 0. */
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical form`);
  return String(value);
}

/** Printable ASCII that JSON has no escape for: quoted, it is its own JSON text. Most strings are, and need no copy then. */
const plain = /^[ !#-[\]-~]*$/;

/** RFC 8785, 3.2.2.2: strings as JSON.stringify escapes them; a lone surrogate, which it escapes too, is no Unicode text. */
function writeString(value: string): string {
  if (plain.test(value)) return `"${value}"`;
  const text = JSON.stringify(value);
  if (text.includes('\\ud') && /[\uD800-\uDFFF]/u.test(value)) {
    throw new TypeError('a string with a lone surrogate has no canonical form');
  }
  return text;
}
