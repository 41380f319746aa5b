// How much a JSON text may hold. Every edge looks before it parses, so that nothing inside can run out of stack, or hold the
// event loop for long with many small values, many names, many escapes, or much white space.
import { countToEndOfString, mayHaveMoreEscapes } from './escapes-in-json.js';
import { endOfString, maxNesting } from './json.js';
import { hasMoreNames } from './names-in-json.js';

export interface Bounds {
  readonly levels: number;
  /** Arrays, objects, and what stands in them. */
  readonly values: number;
  /** Names of members that differ, in themselves or in the names before them (`hasMoreNames`); any number unless said. */
  readonly names?: number;
  /** Where `names` can be set, as in "limits.messageNames". */
  readonly namesSetting?: string;
  /** Characters outside of strings: numbers, brackets, white space; any number unless said. */
  readonly bareCharacters?: number;
  /** Escapes in strings, as in "\\n"; any number unless said. */
  readonly escapes?: number;
}

/**
 * Bounds of a message from a client: all work on its arguments takes about 0.5 µs for each value, and 2 µs for each
 * name.
 */
export const clientBounds: Bounds = Object.freeze({ levels: maxNesting, values: 150_000, names: 40_000 });
/** Bounds of a message from an upstream, which takes half of that for each. */
export const upstreamBounds = Object.freeze({
  levels: maxNesting,
  values: 500_000,
  bareCharacters: 12_000_000,
  escapes: 10_000_000,
} satisfies Bounds);

const quote = 0x22;
const comma = 0x2c;
const fixed = 'a fixed limit';

/**
 * The bound that a JSON text exceeds, as in "nested deeper than 256 levels (a fixed limit)"; undefined within the
 * bounds. Builds nothing.
 */
export function excessOf(text: string, bounds: Bounds): string | undefined {
  const { levels, values, names = values, namesSetting = fixed, bareCharacters = text.length } = bounds;
  if (text.length <= levels || isShallow(text, bounds)) return undefined;
  const { escapes = text.length } = bounds;
  const counted = mayHaveMoreEscapes(text, escapes) ? { escapes: 0, backslashAt: -1 } : undefined;
  let depth = 0;
  let count = 1;
  let end = Math.min(text.length, bareCharacters); // moved on by each string
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit === quote) {
      const from = i;
      i = counted === undefined ? endOfString(text, i + 1) : countToEndOfString(text, i + 1, counted);
      if (counted !== undefined && counted.escapes > escapes)
        return `made of more than ${escapes} escapes in strings (${fixed})`;
      end = Math.min(text.length, end + i - from);
    } else if (unit === comma) {
      count += 1;
      if (count > values) return `made of more than ${values} values (${fixed})`;
    } else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > levels) return `nested deeper than ${levels} levels (${fixed})`;
      const next = text.charCodeAt(i + 1);
      if (next !== 0x5d && next !== 0x7d) count += 1; // the first of what is in it
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
  if (count > values) return `made of more than ${values} values (${fixed})`;
  if (end < text.length) return `made of more than ${bareCharacters} characters outside of strings (${fixed})`;
  if (count <= names || !hasMoreNames(text, names, levels)) return undefined;
  return `made of more than ${names} different names of members (${namesSetting})`;
}

/**
 * Whether its length and its brackets, those in strings among them, rule out any excess. A message of some hundred
 * characters is looked through by the engine's own search in a quarter of the time or less.
 */
function isShallow(text: string, bounds: Bounds): boolean {
  const { levels, values, names = values, bareCharacters = text.length, escapes = text.length } = bounds;
  if (text.length > Math.min(fewCharacters, values - 1, names - 1, bareCharacters, escapes)) return false;
  let openings = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      openings += 1;
      if (openings > levels) return false;
    }
  }
  return true;
}

const fewCharacters = 4096;

/** Whether brackets outside of strings nest deeper than a limit. */
export function nestsDeeperThan(text: string, levels: number): boolean {
  return excessOf(text, { levels, values: Number.POSITIVE_INFINITY }) !== undefined;
}
