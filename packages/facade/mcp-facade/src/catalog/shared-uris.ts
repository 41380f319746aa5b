// URIs of a view that several servers have: the same entry, another spelling of one, or a template that matches
// another's. Only listed entries count: hidden ones make nothing ambiguous for a client.
import type { CatalogView, ResourceEntry } from '@portico/catalog-core';
import { isMadeBy } from '@portico/control-plane';

/** @returns whether another server of the view has an entry or a template for a URI of this entry */
export function createSharing({ resources }: CatalogView): (entry: ResourceEntry) => boolean {
  const owners = new Map<string, Set<string>>();
  const textsByServer = new Map<string, string[]>();
  for (const entry of resources) {
    const texts = textsOf(entry);
    for (const text of texts) owners.set(text, (owners.get(text) ?? new Set()).add(entry.server));
    const others = textsByServer.get(entry.server);
    if (others === undefined) textsByServer.set(entry.server, [...texts]);
    else others.push(...texts);
  }
  const templates = resources.filter(({ template }) => template !== undefined);
  const isOfAnother = (entry: ResourceEntry) => {
    const texts = textsOf(entry);
    return (
      texts.some((text) => [...(owners.get(text) ?? [])].some((server) => server !== entry.server)) ||
      templates.some((other) => other.server !== entry.server && texts.some((text) => isMadeBy(other, text)))
    );
  };
  const makesAnothers = (entry: ResourceEntry) =>
    [...textsByServer].some(
      ([server, texts]) => server !== entry.server && texts.some((text) => isMadeBy(entry, text)),
    );
  return (entry) => isOfAnother(entry) || (entry.template !== undefined && makesAnothers(entry));
}

/** The readings of an entry's URI, which are among its names. */
export function textsOf({ server, names }: ResourceEntry): readonly string[] {
  return names.filter((name) => name.startsWith(`${server}.`)).map((name) => name.slice(server.length + 1));
}
