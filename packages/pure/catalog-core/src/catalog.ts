// The catalog: every entry of every server with aliases applied, its lookups and its digest. Replaced, never edited.
import { finish, type Steps } from '@portico/async';
import { canonicalize, sha256Hex } from '@portico/canonical-json';
import type { Alias, Aliases, JsonValue } from '@portico/contracts';
import { aliasCapability, aliasListed, groupAliases } from './aliases.js';
import { sortById } from './code-point-order.js';
import type { CapabilityEntry, PromptEntry, ResourceEntry, ServerEntries } from './entries.js';
import { createResourceNames } from './resource-names.js';
import { matchesWildcards } from './uri-template.js';

/** Decides which things are listed, by every name they have. Its text represents the rules in a digest. */
export interface VisibilityRules {
  readonly digestible: JsonValue;
  isVisible(names: readonly string[]): boolean;
}

/** Lists everything. */
export const noRules: VisibilityRules = Object.freeze({ digestible: null, isVisible: () => true });

const noAliases: Aliases = Object.freeze({ capability: new Map(), resource: new Map(), prompt: new Map() });

export interface Catalog {
  /** `sha256:<hex>` over every listed entry with its full definition, the aliases and the rules. */
  readonly version: string;
  /** Listed entries, sorted by id by code point. */
  readonly capabilities: readonly CapabilityEntry[];
  readonly resources: readonly ResourceEntry[];
  readonly prompts: readonly PromptEntry[];
  /** Aliases that are equal to an existing canonical id and therefore not in force. */
  readonly refusedAliases: readonly string[];
  /** Finds what is not listed as well; so do the others. */
  findCapability(id: string): CapabilityEntry | undefined;
  /** Also finds the template that a URI of `<server>.<expanded uri>` matches; `uri` is the one to read. */
  findResource(id: string): { readonly entry: ResourceEntry; readonly uri: string } | undefined;
  findPrompt(id: string): PromptEntry | undefined;
  /**
   * The names of a resource URI, one list for each spelling of it: the spelling, and what is listed under it or is a
   * template that it matches, each with its aliases. A rule has to hold for every list, so that spelling evades none.
   * The first list also has guard names, which only deny and approval rules look at.
   */
  resourceNames(server: string, uri: string): readonly (readonly string[])[];
}

/** The parts of an id, which splits at its first dot; undefined if there is none. */
export function splitId(id: string): { readonly server: string; readonly name: string } | undefined {
  const dot = id.indexOf('.');
  return dot < 1 || dot === id.length - 1 ? undefined : { server: id.slice(0, dot), name: id.slice(dot + 1) };
}

/** Builds the catalog of all servers. Equal content gives an equal version, with the servers in any order. */
export function createCatalog(
  servers: ReadonlyMap<string, ServerEntries>,
  aliases: Aliases = noAliases,
  rules: VisibilityRules = noRules,
): Catalog {
  return finish(catalogInSteps(servers, aliases, rules));
}

/** The same, some entries at a time: there may be tens of thousands. */
export function* catalogInSteps(
  servers: ReadonlyMap<string, ServerEntries>,
  aliases: Aliases,
  rules: VisibilityRules,
): Steps<Catalog> {
  const all = [...servers.values()];
  const templates = new Map(
    [...servers].map(([id, { resources }]) => [id, resources.filter(({ template }) => template !== undefined)]),
  );
  const templatesOf = (server: string, uri: string) =>
    (templates.get(server) ?? []).filter(({ template }) => template && matchesWildcards(template, uri));

  const capabilities = yield* createLayer(rules, {
    canonical: all.flatMap((entries) => entries.capabilities),
    aliases: aliases.capability,
    applyAlias: aliasCapability,
  });
  const resources = yield* createLayer(rules, {
    canonical: all.flatMap((entries) => entries.resources),
    aliases: aliases.resource,
    applyAlias: aliasListed,
    coveredBy: ({ coveredBy }) => coveredBy,
  });
  const prompts = yield* createLayer(rules, {
    canonical: all.flatMap((entries) => entries.prompts),
    aliases: aliases.prompt,
    applyAlias: aliasListed,
  });

  const findTemplate = (id: string) => {
    const parts = splitId(id);
    const [entry] = parts === undefined ? [] : templatesOf(parts.server, parts.name);
    return entry && parts && { entry, uri: parts.name };
  };

  const resourceNames = createResourceNames({
    templatesOf,
    namesOf: resources.namesOf,
    find: resources.find,
    entriesOf: (server) => (servers.get(server)?.resources ?? []).flatMap(({ id }) => resources.find(id) ?? []),
  });

  const digest = yield* catalogDigest([capabilities.listed, resources.listed, prompts.listed], aliases, rules);
  return Object.freeze({
    version: `sha256:${digest}`,
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
    resourceNames,
  });
}

const entriesInOneStep = 128;

interface Named {
  readonly id: string;
  readonly names: readonly string[];
}

interface LayerInput<E> {
  readonly canonical: readonly E[];
  readonly aliases: ReadonlyMap<string, Alias>;
  readonly applyAlias: (entry: E, name: string, alias: Alias) => E;
  /** Canonical ids of other entries whose rules cover this one too. */
  readonly coveredBy?: (entry: E) => readonly string[];
}

interface Layer<E> {
  readonly listed: readonly E[];
  readonly refused: readonly string[];
  readonly find: (id: string) => E | undefined;
  /** A canonical id with its aliases, whether or not it is listed. */
  readonly namesOf: (id: string) => readonly string[];
}

/** Applies the aliases of one kind: what is listed, and how ids are looked up. Canonical ids go before aliases. */
function* createLayer<E extends Named>(
  rules: VisibilityRules,
  { canonical, aliases, applyAlias, coveredBy = () => [] }: LayerInput<E>,
): Steps<Layer<E>> {
  const byId = new Map(canonical.map((entry) => [entry.id, entry]));
  const { byTarget, refused } = groupAliases(aliases, (id) => byId.has(id));
  const namesOf = (id: string) => [id, ...(byTarget.get(id) ?? []).map(([name]) => name)];
  const listed: E[] = [];
  const byAlias = new Map<string, E>();
  for (const [at, bare] of canonical.entries()) {
    if (at % entriesInOneStep === 0) yield;
    const names = [...new Set([...bare.names, ...coveredBy(bare)].flatMap(namesOf))];
    const entry = names.length === bare.names.length ? bare : { ...bare, names };
    if (entry !== bare) byId.set(entry.id, entry);
    const isListed = rules.isVisible(entry.names);
    const group = byTarget.get(entry.id) ?? [];
    if (isListed && group.length === 0) listed.push(entry);
    for (const [name, alias] of group) {
      const aliased = applyAlias(entry, name, alias);
      byAlias.set(name, aliased);
      if (isListed) listed.push(aliased);
    }
  }
  yield;
  sortById(listed);
  yield;
  return { listed: Object.freeze(listed), refused, find: (id) => byId.get(id) ?? byAlias.get(id), namesOf };
}

/** Entries count by their own digests, which cover their whole definitions, so that a change costs one entry. */
function* catalogDigest(
  lists: readonly (readonly Digested[])[],
  { capability, resource, prompt }: Aliases,
  { digestible }: VisibilityRules,
): Steps<string> {
  const aliases = canonicalize({
    capability: Object.fromEntries(capability),
    resource: Object.fromEntries(resource),
    prompt: Object.fromEntries(prompt),
  });
  const entries: string[] = [];
  for (const list of lists) entries.push(yield* canonicalEntries(list));
  const policy = digestible === null ? '' : `,"policy":${canonicalize(digestible)}`;
  return sha256Hex(`{"aliases":${aliases},"entries":[${entries.join()}]${policy}}`); // the canonical form of all of it
}

type Digested = Pick<CapabilityEntry, 'id' | 'digest'>;

function* canonicalEntries(list: readonly Digested[]): Steps<string> {
  const parts: string[] = [];
  for (let from = 0; from < list.length; from += entriesInOneStep) {
    const part = list.slice(from, from + entriesInOneStep).map(({ id, digest }) => [id, digest]);
    parts.push(canonicalize(part).slice(1, -1));
    yield;
  }
  return `[${parts.join()}]`;
}
