// Reads JSON without the engine's own way of reading keys: it takes apart objects and arrays, and JSON.parse reads
// nothing but the strings, numbers and words in them. It checks nothing: what it is given has to be valid.
import { endOfString } from './json.js';

export type Container = unknown[] | Record<string, unknown>;

/**
 * Called with each word (a number, `true`, `false`, `null`) as text before it is put under its key (its index in a
 * list), and with each container that ends.
 */
export interface ReadJsonListener {
  onWord(into: Container, key: string | number, text: string, value: unknown): void;
  onEnd(inner: Container, outer: Container): void;
}

/** The value of a valid JSON text, at any depth: it keeps a stack of its own. */
export function readJson(text: string, listener?: ReadJsonListener): unknown {
  const top: unknown[] = [];
  const outer: Container[] = [];
  let into: Container = top;
  let key: string | undefined;
  const put = (value: unknown) => {
    if (Array.isArray(into)) into.push(value);
    else if (key !== undefined) setMember(into, key, value);
    key = undefined;
  };
  for (let i = 0; i < text.length; i++) {
    const unit = text[i];
    if (unit === '"') {
      const end = endOfString(text, i + 1);
      const read: string = JSON.parse(text.slice(i, end + 1));
      if (key === undefined && !Array.isArray(into)) key = read;
      else put(read);
      i = end;
    } else if (unit === '{' || unit === '[') {
      const inner: Container = unit === '{' ? {} : [];
      put(inner);
      outer.push(into);
      into = inner;
    } else if (unit === '}' || unit === ']') {
      const around = outer.pop() ?? top;
      listener?.onEnd(into, around);
      into = around;
    } else if (!isBetween(unit)) {
      const end = endOfWord(text, i + 1);
      const word = text.slice(i, end);
      const value: unknown = JSON.parse(word);
      listener?.onWord(into, Array.isArray(into) ? into.length : (key ?? ''), word, value);
      put(value);
      i = end - 1;
    }
  }
  return top[0];
}

/** As JSON.parse does it, also for `__proto__` and others that every object inherits. */
function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key in object)
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** The end of a number, or of `true`, `false` or `null`. */
function endOfWord(text: string, start: number): number {
  let end = start;
  while (end < text.length && !isBetween(text[end]) && text[end] !== ']' && text[end] !== '}') end += 1;
  return end;
}

function isBetween(unit: string | undefined): boolean {
  return unit === ',' || unit === ':' || unit === ' ' || unit === '\n' || unit === '\r' || unit === '\t';
}
