// Compares the current list with the previous one. Both are sorted by id, so one walk over them is enough for any size.
import { type Catalog, compareCodePoints } from '@portico/catalog-core';
import type { CatalogEvent } from '@portico/contracts';
import type { KnownEntry } from './feed-store.js';

/** The last listed entries, by kind, each sorted by id. */
export type Known = Readonly<Record<CatalogEvent['object_type'], readonly KnownEntry[]>>;

export interface Difference {
  readonly gone: readonly KnownEntry[];
  readonly updated: readonly KnownEntry[];
  readonly added: readonly KnownEntry[];
  /** The known entries after the change. */
  readonly known: Known;
}

export function sortKnown(entries: readonly KnownEntry[]): Known {
  const ofKind = (kind: KnownEntry['objectType']) =>
    entries.filter(({ objectType }) => objectType === kind).sort((a, b) => compareCodePoints(a.id, b.id));
  return { capability: ofKind('capability'), resource: ofKind('resource'), prompt: ofKind('prompt') };
}

/** @param isSettled whether an entry that is not listed was removed, rather than not read yet */
export function differenceFrom(
  known: Known,
  { capabilities, resources, prompts }: Catalog,
  isSettled: (entry: KnownEntry) => boolean,
): Difference {
  const found: Found = { gone: [], updated: [], added: [] };
  const capability = walk(known.capability, capabilities, isSettled, found);
  const resource = walk(known.resource, resources, isSettled, found);
  const prompt = walk(known.prompt, prompts, isSettled, found);
  return { ...found, known: { capability, resource, prompt } };
}

type Listed = Catalog['capabilities' | 'resources' | 'prompts'][number];
type Found = Readonly<Record<'gone' | 'updated' | 'added', KnownEntry[]>>;

/** Adds to what was found. @returns what is known then */
function walk(
  known: readonly KnownEntry[],
  listed: readonly Listed[],
  isSettled: (entry: KnownEntry) => boolean,
  { gone, updated, added }: Found,
): readonly KnownEntry[] {
  const next: KnownEntry[] = [];
  let at = 0;
  for (const entry of listed) {
    at = passBy(known, at, entry, isSettled, gone, next);
    const before = known[at];
    const isKnown = before?.id === entry.id;
    if (isKnown) at += 1;
    const now = isKnown && before.digest === entry.digest ? before : toKnown(entry);
    if (now !== before) (isKnown ? updated : added).push(now);
    next.push(now);
  }
  passBy(known, at, undefined, isSettled, gone, next);
  return next;
}

/** Goes on to where an entry is or would be; those before it are not listed any more. */
function passBy(
  known: readonly KnownEntry[],
  from: number,
  until: Listed | undefined,
  isSettled: (entry: KnownEntry) => boolean,
  gone: KnownEntry[],
  next: KnownEntry[],
): number {
  let at = from;
  for (let entry = known[at]; entry !== undefined; entry = known[at]) {
    if (until !== undefined && (entry.id === until.id || compareCodePoints(entry.id, until.id) > 0)) break;
    (isSettled(entry) ? gone : next).push(entry);
    at += 1;
  }
  return at;
}

function toKnown({ kind: objectType, id, server, digest }: Listed): KnownEntry {
  return { objectType, id, server, digest };
}
