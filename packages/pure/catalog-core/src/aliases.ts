// Aliases applied to entries: an entry with aliases is listed once per alias, in place of its canonical id.
import { digestOf } from '@portico/canonical-json';
import type { Alias } from '@portico/contracts';
import type { CapabilityEntry, PromptEntry, ResourceEntry } from './entries.js';

/** Every alias' target, by alias, grouped the other way round. */
export type AliasesByTarget = ReadonlyMap<string, readonly (readonly [name: string, alias: Alias])[]>;

/**
 * Aliases by target. One that is equal to an existing canonical id is left out, so that it never hides the entry
 * whose id it took; such names come back as `refused`.
 */
export function groupAliases(
  aliases: ReadonlyMap<string, Alias>,
  isCanonicalId: (id: string) => boolean,
): { readonly byTarget: AliasesByTarget; readonly refused: readonly string[] } {
  const byTarget = new Map<string, (readonly [string, Alias])[]>();
  const refused: string[] = [];
  for (const [name, alias] of aliases) {
    if (isCanonicalId(name)) {
      refused.push(name);
      continue;
    }
    const group = byTarget.get(alias.target) ?? [];
    group.push([name, alias]);
    byTarget.set(alias.target, group);
  }
  return { byTarget, refused };
}

export function aliasCapability(entry: CapabilityEntry, name: string, alias: Alias): CapabilityEntry {
  return {
    ...entry,
    id: name,
    description: alias.description ?? entry.description,
    passthrough: alias.passthrough ?? false,
    digest: aliasedDigest(entry.digest, name, alias),
    item: { ...entry.item, id: name, summary: alias.summary ?? entry.item.summary },
  };
}

/** For resources and prompts: an alias' summary or description replaces the entry's description. */
export function aliasListed<E extends PromptEntry | ResourceEntry>(entry: E, name: string, alias: Alias): E {
  const description = alias.description ?? alias.summary;
  return {
    ...entry,
    id: name,
    digest: aliasedDigest(entry.digest, name, alias),
    item: { ...entry.item, id: name, ...(description === undefined ? {} : { description }) },
  };
}

function aliasedDigest(entryDigest: string, name: string, alias: Alias): string {
  return digestOf({ name, alias, entry: entryDigest });
}
