// The digest of a definition, step by step: a server decides how large one is, and the canonical form of a megabyte takes
// some fifty milliseconds. The digest is that of `digestOf`, to the bit.
import type { Steps } from '@portico/async';
import { canonicalize, sha256Hex } from '@portico/canonical-json';
import { type JsonObject, type JsonValue, sizeUpTo } from '@portico/contracts';

/** Characters and values that are written in some milliseconds. */
const sizeOfStep = 50_000;
/** As `canonicalize` has it. */
const maxLevels = 1000;

/** @throws TypeError for what has no canonical form */
export function* digestInSteps(value: unknown): Steps<string> {
  return sha256Hex(yield* canonicalInSteps(value as JsonValue, maxLevels, { sinceYield: 0 })); // or canonicalize throws
}

function* canonicalInSteps(value: JsonValue, levels: number, written: { sinceYield: number }): Steps<string> {
  const isSmall = levels < 0 || typeof value !== 'object' || sizeUpTo([value], sizeOfStep) <= sizeOfStep;
  if (isSmall || value === null) {
    const text = canonicalize(value, levels);
    written.sinceYield += text.length;
    if (written.sinceYield < sizeOfStep) return text;
    written.sinceYield = 0;
    yield;
    return text;
  }
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(yield* canonicalInSteps(item, levels - 1, written));
    return `[${parts.join()}]`;
  }
  const members = value as JsonObject; // what is no list
  // RFC 8785, 3.2.3: sorted by the UTF-16 code units of their names, which is how JavaScript compares strings.
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member === undefined) continue;
    parts.push(`${canonicalize(name)}:${yield* canonicalInSteps(member, levels - 1, written)}`);
  }
  return `{${parts.join()}}`;
}
