// JSON.parse without the fault that it has in Node 24 and 26: V8 may take an escaped key for another key, one that it has
// seen in the same place (nodejs/node#63785). The reasons and measurements: docs/decisions/json-keys.md.
import { readJson } from './read-json.js';

/** As `JSON.parse` gives it: the caller says what it is. */
type Parsed = ReturnType<typeof JSON.parse>;

/**
 * The value of a JSON text, as `JSON.parse` has to give it.
 * @throws SyntaxError, the one of `JSON.parse`
 */
export const parseJson: (text: string) => Parsed = /* @__PURE__ */ hasKeyFault() ? parseWithoutFault : JSON.parse;

/** The key that V8 takes by mistake is one that it has seen before, and always has a backslash in it. */
function parseWithoutFault(text: string): Parsed {
  const value: unknown = JSON.parse(text);
  return text.includes('\\') && hasBackslashKey(value) ? readJson(text) : value;
}

function hasBackslashKey(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) {
      for (const item of next) if (isContainer(item)) open.push(item);
    } else if (isContainer(next)) {
      // Keys that an object inherits may be among these; they only lead to a second reading.
      for (const key in next) {
        if (key.includes('\\')) return true;
        const member = next[key];
        if (isContainer(member)) open.push(member);
      }
    }
  }
  return false;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/**
 * Whether this engine reads the key `"` as the key `\` after it has seen that one. It remembers keys by those before
 * them and by the size of the object; with a size and a first key of its own, the question changes no other answer.
 */
function hasKeyFault(): boolean {
  const others = Array.from({ length: 60 }, (_, index) => `"member ${index}":0`).join();
  const withKey = (key: string) => `{"Does the engine mistake keys?":0,${JSON.stringify(key)}:0,${others}}`;
  const { b } = JSON.parse(`{"a":${withKey('\\')},"b":${withKey('"')}}`);
  return !Object.hasOwn(b, '"');
}
