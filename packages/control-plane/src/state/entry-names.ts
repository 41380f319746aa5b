// The entries of a server by their names. Made when they are first asked for: mostly nothing is held.
import { matchesWildcards, type ResourceEntry, type ServerEntries } from '@portico/catalog-core';
import type { CallKind } from '../call/call.js';

interface Named {
  readonly names: readonly string[];
}

export interface EntryNames {
  /** Every name that rules know an entry by; of a URI, also those of the templates that it matches. */
  of(kind: CallKind, name: string): readonly string[];
  /** Whether the server lists a plain resource under the URI. */
  listsUri(uri: string): boolean;
  /** Templates that a URI matches; a template matches itself. */
  templatesOf(uri: string): readonly ResourceEntry[];
}

export function createEntryNames({ capabilities, prompts, resources }: ServerEntries): EntryNames {
  const tools = lazyMap<Named>(() => capabilities.map((entry) => [entry.tool, entry]));
  const named = lazyMap<Named>(() => prompts.map((entry) => [entry.name, entry]));
  const plain = lazyMap<Named>(() => resources.filter(isPlain).map((entry) => [entry.uri, entry]));
  let templates: readonly ResourceEntry[] | undefined;
  const templatesOf = (uri: string) => {
    templates ??= resources.filter((entry) => !isPlain(entry));
    return templates.filter(
      ({ template, uri: own }) => own === uri || (template !== undefined && matchesWildcards(template, uri)),
    );
  };
  return {
    of(kind, name) {
      if (kind !== 'resource') return (kind === 'tool' ? tools : named)(name)?.names ?? [];
      return [...(plain(name)?.names ?? []), ...templatesOf(name).flatMap(({ names }) => names)];
    },
    listsUri: (uri) => plain(uri) !== undefined,
    templatesOf,
  };
}

function isPlain({ template }: ResourceEntry): boolean {
  return template === undefined;
}

function lazyMap<E>(entries: () => readonly (readonly [string, E])[]): (name: string) => E | undefined {
  let made: ReadonlyMap<string, E> | undefined;
  return (name) => {
    made ??= new Map(entries());
    return made.get(name);
  };
}
