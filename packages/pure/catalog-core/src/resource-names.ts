// The names under which rules look at a resource URI of a server: its readings, and what is listed under each.
// Guard names among them count for deny and requireApproval only (see @portico/policy-engine).
import { foldName, guardKindOf, guardName, isFileUri, resourceReadings } from '@portico/policy-engine';
import type { ResourceEntry } from './entries.js';
import { guardNamesOf } from './uri-names.js';
import { matchesWildcards, type Wildcards } from './uri-template.js';

export interface ListedResources {
  /** Templates of a server that a text matches. */
  templatesOf(server: string, text: string): readonly ResourceEntry[];
  /** A canonical id with its aliases. */
  namesOf(id: string): readonly string[];
  find(id: string): ResourceEntry | undefined;
  /** What a server lists, aliases left out. */
  entriesOf(server: string): readonly ResourceEntry[];
}

/** @returns the names of a URI, one list for each reading of it that an allow rule has to cover */
export function createResourceNames(listed: ListedResources) {
  const foldedFiles = new Map<string, FoldedFiles>();
  const filesOf = (server: string): FoldedFiles => {
    const known = foldedFiles.get(server);
    if (known !== undefined) return known;
    const made = foldFiles(listed.entriesOf(server));
    foldedFiles.set(server, made);
    return made;
  };
  const relatedTo = (server: string, text: string): string[] => {
    const id = `${server}.${text}`;
    const ids = [id, ...listed.templatesOf(server, text).map(({ canonicalId }) => canonicalId)];
    return [...ids.flatMap(listed.namesOf), ...(listed.find(id)?.names.filter(isPlainName) ?? [])];
  };
  const entriesLike = (server: string, file: string): readonly ResourceEntry[] => {
    const { byUri, templates } = filesOf(server);
    const text = foldName(file);
    const matched = templates.filter(({ pieces }) => matchesWildcards(pieces, text)).map(({ entry }) => entry);
    return [...(byUri.get(text) ?? []), ...matched];
  };

  return (server: string, uri: string): readonly (readonly string[])[] => {
    const { same, whole, reduced } = resourceReadings(uri);
    const read = [...same, ...whole];
    const files = [...read, ...reduced].filter(isFileUri);
    const others = reduced.filter((text) => !isFileUri(text));
    const guarded = [
      ...others.flatMap((text) => relatedTo(server, text)),
      ...files.flatMap((file) => entriesLike(server, file)).flatMap(({ names }) => names),
    ].filter(isPlainName);
    // What is asked for by a template with a fragment or a query is of that template without them as well.
    const [given = [], ...rest] = same.map((text) => relatedTo(server, text));
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

/** Files and templates of files that a server lists, by their folded URIs. */
interface FoldedFiles {
  readonly byUri: ReadonlyMap<string, readonly ResourceEntry[]>;
  readonly templates: readonly { readonly pieces: Wildcards; readonly entry: ResourceEntry }[];
}

function foldFiles(entries: readonly ResourceEntry[]): FoldedFiles {
  const files = entries.filter(({ uri }) => /^file:/i.test(uri));
  const byUri = new Map<string, readonly ResourceEntry[]>();
  for (const entry of files) {
    const key = foldName(entry.uri);
    byUri.set(key, [...(byUri.get(key) ?? []), entry]);
  }
  const templates = files.flatMap((entry) =>
    entry.template === undefined ? [] : [{ pieces: entry.template.map(foldName), entry }],
  );
  return { byUri, templates };
}
