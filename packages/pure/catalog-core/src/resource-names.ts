// The names under which rules look at a resource URI of a server: its readings, and what is listed under each.
// Guard names among them count for deny and requireApproval only (see @portico/policy-engine).
import { guardKindOf, guardName, isFileUri, resourceReadings } from '@portico/policy-engine';
import type { ResourceEntry } from './entries.js';
import { guardNamesOf, toCompared } from './uri-names.js';
import { matchesWildcards, type Wildcards } from './uri-template.js';

export interface ListedResources {
  /** Templates of a server that a text matches. */
  templatesOf(server: string, text: string): readonly ResourceEntry[];
  /** A canonical id with its aliases. */
  namesOf(id: string): readonly string[];
  find(id: string): ResourceEntry | undefined;
  /** The entries of a server, without aliases. */
  entriesOf(server: string): readonly ResourceEntry[];
}

/** @returns the names of a URI, one list for each reading of it that an allow rule has to cover */
export function createResourceNames(listed: ListedResources) {
  const indexes = new Map<string, SpelledEntries>();
  const spelledEntriesOf = (server: string): SpelledEntries => {
    const known = indexes.get(server);
    if (known !== undefined) return known;
    const made = spellEntries(listed.entriesOf(server));
    indexes.set(server, made);
    return made;
  };
  const relatedTo = (server: string, text: string): string[] => {
    const id = `${server}.${text}`;
    const ids = [id, ...listed.templatesOf(server, text).map(({ canonicalId }) => canonicalId)];
    return [...ids.flatMap(listed.namesOf), ...(listed.find(id)?.names.filter(isPlainName) ?? [])];
  };
  const entriesLike = (server: string, text: string): readonly ResourceEntry[] => {
    const { byUri, templates } = spelledEntriesOf(server);
    const compared = toCompared(text);
    const matched = templates.filter(({ pieces }) => matchesWildcards(pieces, compared)).map(({ entry }) => entry);
    return [...(byUri.get(compared) ?? []), ...matched];
  };

  return (server: string, uri: string): readonly (readonly string[])[] => {
    const { same, whole, reduced } = resourceReadings(uri);
    const read = [...same, ...whole];
    const others = reduced.filter((text) => !isFileUri(text));
    // A URI of a template with a fragment or a query also belongs to the template without them.
    const [given = [], ...rest] = same.map((text) => relatedTo(server, text));
    const alike = [...read, ...reduced].flatMap((text) =>
      entriesLike(server, text).filter(({ canonicalId }) => isFileUri(text) || !given.includes(canonicalId)),
    );
    const guarded = [
      ...others.flatMap((text) => relatedTo(server, text)),
      ...alike.flatMap(({ names }) => names),
    ].filter(isPlainName);
    const more = guarded.filter((name) => !given.includes(name)).map(guardName);
    const guards = [...guardNamesOf(server, read, reduced), ...more];
    const ofGiven = listed.templatesOf(server, uri).flatMap(({ canonicalId }) => listed.namesOf(canonicalId));
    const ofWhole = whole.map((text) => [...relatedTo(server, text), ...ofGiven]);
    return [[...given, ...guards], ...rest, ...ofWhole].map((names) => [...new Set(names)]);
  };
}

function isPlainName(name: string): boolean {
  return guardKindOf(name) === undefined;
}

/** The entries of a server, by all spellings of its URIs and templates; those of files are folded. */
interface SpelledEntries {
  readonly byUri: ReadonlyMap<string, readonly ResourceEntry[]>;
  readonly templates: readonly { readonly pieces: Wildcards; readonly entry: ResourceEntry }[];
}

function spellEntries(entries: readonly ResourceEntry[]): SpelledEntries {
  const byUri = new Map<string, ResourceEntry[]>();
  const templates: { readonly pieces: Wildcards; readonly entry: ResourceEntry }[] = [];
  for (const entry of entries) {
    for (const pieces of entry.spellings) {
      const [uri = ''] = pieces;
      if (entry.template !== undefined) templates.push({ pieces, entry });
      else if (byUri.get(uri)?.push(entry) === undefined) byUri.set(uri, [entry]);
    }
  }
  return { byUri, templates };
}
