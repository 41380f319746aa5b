// The names that the URI of a resource has by itself: its readings, and guard names for rules that narrow.
// Knows nothing of what else a server lists.
import {
  foldedGuardName,
  foldName,
  guardName,
  isFileUri,
  piecesSpelled,
  resourceReadings,
} from '@portico/policy-engine';
import type { Wildcards } from './uri-template.js';

/** Every name of a URI that a server lists, in one list. */
export function namesOfUri(server: string, uri: string): readonly string[] {
  const { same, whole, reduced } = resourceReadings(uri);
  const ids = [...same, ...whole].map((text) => `${server}.${text}`);
  return [...ids, ...guardNamesOf(server, [...same, ...whole], reduced)];
}

/** Names for rules that narrow: files folded, everything else as it is. */
export function guardNamesOf(server: string, read: readonly string[], reduced: readonly string[]): readonly string[] {
  const folded = [...read, ...reduced].filter(isFileUri).map((file) => foldedGuardName(`${server}.${file}`));
  const others = reduced.filter((text) => !isFileUri(text)).map((text) => guardName(`${server}.${text}`));
  return [...new Set([...folded, ...others])];
}

/** A text as listed URIs are compared with it: names of files without case. */
export function toCompared(text: string): string {
  return isFileUri(text) ? foldName(text) : text;
}

/** The spellings of a URI or of the pieces of a template, as texts are compared with them. */
export function comparedSpellings(pieces: Wildcards): readonly Wildcards[] {
  return piecesSpelled(pieces).map((spelled) => (isFileUri(spelled[0] ?? '') ? spelled.map(foldName) : spelled));
}
