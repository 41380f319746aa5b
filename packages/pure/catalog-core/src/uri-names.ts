// The names that the URI of a resource has by itself: its readings, and guard names for rules that narrow.
// Knows nothing of what else a server lists.
import { foldedGuardName, guardName, isFileUri, resourceReadings } from '@portico/policy-engine';

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
