// The catalog: every entry of every server with aliases applied, its lookups and its digest. Replaced, never edited.
import { digestOf } from '@portico/canonical-json';
import type { Alias, Aliases } from '@portico/contracts';
import { aliasCapability, aliasListed, groupAliases } from './aliases.js';
import { compareCodePoints } from './code-point-order.js';
import type { CapabilityEntry, PromptEntry, ResourceEntry, ServerEntries } from './entries.js';
import { matchesWildcards } from './uri-template.js';

export interface Catalog {
  /** `sha256:<hex>` over every listed entry with its full definition, and the aliases. */
  readonly version: string;
  /** Listed entries, sorted by id by code point. */
  readonly capabilities: readonly CapabilityEntry[];
  readonly resources: readonly ResourceEntry[];
  readonly prompts: readonly PromptEntry[];
  /** Aliases that are equal to an existing canonical id and therefore not in force. */
  readonly refusedAliases: readonly string[];
  findCapability(id: string): CapabilityEntry | undefined;
  /** Also finds the template that a URI of `<server>.<expanded uri>` matches; `uri` is the one to read. */
  findResource(id: string): { readonly entry: ResourceEntry; readonly uri: string } | undefined;
  findPrompt(id: string): PromptEntry | undefined;
}

/** The parts of an id, which splits at its first dot; undefined where there is none. */
export function splitId(id: string): { readonly server: string; readonly name: string } | undefined {
  const dot = id.indexOf('.');
  return dot < 1 || dot === id.length - 1 ? undefined : { server: id.slice(0, dot), name: id.slice(dot + 1) };
}

/** Builds the catalog of all servers. Equal content gives an equal version, whatever the order of the servers. */
export function createCatalog(servers: ReadonlyMap<string, ServerEntries>, aliases: Aliases): Catalog {
  const all = [...servers.values()];
  const capabilities = layer(
    all.flatMap((entries) => entries.capabilities),
    aliases.capability,
    aliasCapability,
  );
  const resources = layer(
    all.flatMap((entries) => entries.resources),
    aliases.resource,
    aliasListed,
  );
  const prompts = layer(
    all.flatMap((entries) => entries.prompts),
    aliases.prompt,
    aliasListed,
  );

  const findTemplate = (id: string) => {
    const parts = splitId(id);
    const owner = parts && servers.get(parts.server);
    const entry = owner?.resources.find(({ template }) => template && matchesWildcards(template, parts?.name ?? ''));
    return entry && parts && { entry, uri: parts.name };
  };

  return Object.freeze({
    version: `sha256:${catalogDigest([capabilities.listed, resources.listed, prompts.listed], aliases)}`,
    capabilities: capabilities.listed,
    resources: resources.listed,
    prompts: prompts.listed,
    refusedAliases: [...capabilities.refused, ...resources.refused, ...prompts.refused],
    findCapability: capabilities.find,
    findResource: (id: string) => {
      const entry = resources.find(id);
      return entry === undefined ? findTemplate(id) : { entry, uri: entry.uri };
    },
    findPrompt: prompts.find,
  });
}

interface Layer<E> {
  readonly listed: readonly E[];
  readonly refused: readonly string[];
  readonly find: (id: string) => E | undefined;
}

/** Applies the aliases of one kind: what is listed, and how ids are looked up. Canonical ids go before aliases. */
function layer<E extends { readonly id: string }>(
  canonical: readonly E[],
  aliases: ReadonlyMap<string, Alias>,
  applyAlias: (entry: E, name: string, alias: Alias) => E,
): Layer<E> {
  const byId = new Map(canonical.map((entry) => [entry.id, entry]));
  const { byTarget, refused } = groupAliases(aliases, (id) => byId.has(id));
  const listed: E[] = [];
  const byAlias = new Map<string, E>();
  for (const entry of canonical) {
    const group = byTarget.get(entry.id);
    if (group === undefined) listed.push(entry);
    for (const [name, alias] of group ?? []) {
      const aliased = applyAlias(entry, name, alias);
      byAlias.set(name, aliased);
      listed.push(aliased);
    }
  }
  listed.sort((a, b) => compareCodePoints(a.id, b.id));
  return { listed: Object.freeze(listed), refused, find: (id) => byId.get(id) ?? byAlias.get(id) };
}

/** Entries count by their own digests, which cover their whole definitions, so that a change costs one entry. */
function catalogDigest(
  lists: readonly (readonly { readonly id: string; readonly digest: string }[])[],
  aliases: Aliases,
): string {
  return digestOf({
    aliases: {
      capability: Object.fromEntries(aliases.capability),
      resource: Object.fromEntries(aliases.resource),
      prompt: Object.fromEntries(aliases.prompt),
    },
    entries: lists.map((list) => list.map(({ id, digest }) => [id, digest])),
  });
}
