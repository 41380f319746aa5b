// Differences from the lock, and their severity.
import { type DriftClassName, dangerousDriftClasses, driftClassNames, harmlessDriftClasses } from '@portico/contracts';
import type { LockedKind } from './lock-file.js';

/** Severity rises in this order: the first two need no review. With several classes the last one counts. */
export const driftClasses = driftClassNames;

/**
 * - `cosmetic`: white space, order, icons, the version that a server says it has.
 * - `narrowed`: a schema that provably accepts less, and has no text that was not there.
 * - `removed`: locked, and not listed any more.
 * - `renamed`: new, with the words and the schema of one that was removed.
 * - `new`: listed, and not locked.
 * - `description`: words that a model reads: titles, descriptions, defaults, `_meta`, instructions of the server.
 * - `widened`: a schema that accepts more, or may accept more.
 * - `output`: what a result looks like.
 * - `annotation_weakened`: a hint that promises less harm than before was taken back.
 * - `identity`: another command, package or name of the server.
 * - `suspicious`: changed words with characters that are not seen.
 */
export type DriftClass = DriftClassName;

const dangerous: ReadonlySet<DriftClass> = new Set(dangerousDriftClasses);
const harmless: ReadonlySet<DriftClass> = new Set(harmlessDriftClasses);

/** One part of a definition that differs. */
export interface FieldChange {
  /** Such as `description` or `inputSchema`. */
  readonly field: string;
  readonly class: DriftClass;
  /** The text before the change; another value as JSON in lines with sorted members. Null if it was absent. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface Drift {
  /** `<kind>:<server>.<name>`, or `server:<server>`. */
  readonly id: string;
  readonly kind: LockedKind | 'server';
  readonly server: string;
  /** As the server has it; of a server, its id. */
  readonly name: string;
  /** The worst of its changes. */
  readonly class: DriftClass;
  /** Digest of the current definition; null if it was removed. An acceptance names it. */
  readonly digest: string | null;
  /** Digest of the accepted definition; null if it is new. */
  readonly lockedDigest: string | null;
  readonly changes: readonly FieldChange[];
  /** The name before, with class `renamed`. */
  readonly formerName?: string;
}

/** The most dangerous of the classes; `cosmetic` for an empty list. */
export function worstOf(classes: readonly DriftClass[]): DriftClass {
  return driftClasses[Math.max(0, ...classes.map((each) => driftClasses.indexOf(each)))] ?? 'cosmetic';
}

/** Returns the exit code of `portico lock`: 0 no drift, 10 no review needed, 11 review needed, 12 dangerous. */
export function verdictOf(classes: readonly DriftClass[]): 0 | 10 | 11 | 12 {
  if (classes.length === 0) return 0;
  if (classes.some((each) => dangerous.has(each))) return 12;
  return classes.every((each) => harmless.has(each)) ? 10 : 11;
}
