// How deep JSON from outside may nest, and of how many values it may be made. Every edge holds both, so that nothing
// inside can run out of stack or hold the event loop for long with many small values.
import { endOfString } from './string-end.js';

/** Levels of arrays and objects that a message from a client or an upstream may have. */
export const maxNesting = 256;

/**
 * Characters of a resource's URI or template, percent-encoded: all its readings are compared with rules, which takes up to
 * 2 µs for each of them.
 */
export const maxUriLength = 4096;

/** How long a URI is once every character beyond ASCII is percent-encoded (RFC 3987 section 3.1). */
export function uriLength(uri: string): number {
  let length = uri.length;
  for (let i = 0; i < uri.length; i += 1) {
    const unit = uri.charCodeAt(i);
    if (unit >= 0x80) length += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 5 : 8;
  }
  return length;
}

export function isUriTooLong(uri: string): boolean {
  return uri.length > maxUriLength || uriLength(uri) > maxUriLength;
}

export interface Bounds {
  readonly levels: number;
  /** Arrays, objects, and what stands in them. */
  readonly values: number;
}

/** Of a message from a client: all that is done with its arguments takes about 0.5 µs for each value. */
export const clientBounds: Bounds = Object.freeze({ levels: maxNesting, values: 150_000 });
/** Of a message from an upstream, which takes half of that for each. */
export const upstreamBounds: Bounds = Object.freeze({ levels: maxNesting, values: 500_000 });

const quote = 0x22;
const comma = 0x2c;

/** What a JSON text has too much of, as in "is nested deeper than 256 levels"; undefined within the bounds. Builds nothing. */
export function excessOf(text: string, { levels, values }: Bounds): string | undefined {
  if (text.length <= levels) return undefined;
  let depth = 0;
  let count = 1;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === quote) i = endOfString(text, i + 1);
    else if (unit === comma) {
      count += 1;
      if (count > values) break;
    } else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > levels) return `nested deeper than ${levels} levels`;
      const next = text.charCodeAt(i + 1);
      if (next !== 0x5d && next !== 0x7d) count += 1; // the first of what is in it
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
  return count > values ? `made of more than ${values} values` : undefined;
}

/** Whether brackets outside of strings nest deeper than a limit. */
export function nestsDeeperThan(text: string, levels: number): boolean {
  return excessOf(text, { levels, values: Number.POSITIVE_INFINITY }) !== undefined;
}
