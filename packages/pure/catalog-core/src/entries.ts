// Catalog entries of one server, made from what the server says of itself. Made once per definition, then shared.
import { finish, type Steps } from '@portico/async';
import {
  type CapabilityListItem,
  type CapabilityMode,
  defaultLimits,
  type JsonObject,
  type PromptDefinition,
  type PromptListItem,
  type ResourceDefinition,
  type ResourceListItem,
  type ResourceTemplateDefinition,
  type ServerAbout,
  type ToolDefinition,
  type UpstreamDefinitions,
} from '@portico/contracts';
import { compareCodePoints } from './code-point-order.js';
import { digestInSteps } from './digest-in-steps.js';
import { type ListingBounds, withinBounds } from './listing-bounds.js';
import { firstSentence } from './summary.js';
import { comparedSpellings, namesOfUri } from './uri-names.js';
import { coveringIds, type Template, templateLiterals, toTemplate, type Wildcards } from './uri-template.js';

interface EntryBase {
  /** The id the entry is listed under: an alias, or the canonical id. */
  readonly id: string;
  /** `<server>.<name or uri>`; splits at its first dot. */
  readonly canonicalId: string;
  readonly server: string;
  /** Every name that rules know it by: the canonical id, other spellings of it, its aliases. */
  readonly names: readonly string[];
  /** SHA-256 over id, server and the full definition. */
  readonly digest: string;
}

export interface CapabilityEntry extends EntryBase {
  readonly kind: 'capability';
  readonly tool: string;
  readonly description: string;
  readonly mode: CapabilityMode;
  readonly definition: ToolDefinition;
  readonly item: CapabilityListItem;
  /** MCP clients see the tool under its alias. */
  readonly passthrough: boolean;
}

export interface ResourceEntry extends EntryBase {
  readonly kind: 'resource';
  /** The URI, or the template. */
  readonly uri: string;
  readonly definition: ResourceDefinition | ResourceTemplateDefinition;
  /** Literal pieces of the template; absent for a plain resource. */
  readonly template?: Wildcards;
  /** The URI or the template in all its spellings; those of files are folded. */
  readonly spellings: readonly Wildcards[];
  /** Canonical ids of the templates of its server that the URI matches. */
  readonly coveredBy: readonly string[];
  readonly item: ResourceListItem;
}

export interface PromptEntry extends EntryBase {
  readonly kind: 'prompt';
  readonly name: string;
  readonly definition: PromptDefinition;
  readonly item: PromptListItem;
}

export interface ServerEntries {
  readonly capabilities: readonly CapabilityEntry[];
  readonly resources: readonly ResourceEntry[];
  readonly prompts: readonly PromptEntry[];
  /** Names that were left out: repeated, or with a definition that is not valid JSON text. */
  readonly rejected: readonly string[];
  /** URIs and templates that were left out, because they are beyond what one server may list. */
  readonly excess: readonly string[];
  /** The information that the server gives about itself; absent if it is not known. */
  readonly about?: ServerAbout;
}

/** Entries of one server under their canonical ids. The first of two with one name counts. */
export function toServerEntries(
  server: string,
  definitions: UpstreamDefinitions,
  bounds: ListingBounds = defaultLimits,
): ServerEntries {
  return finish(serverEntriesInSteps(server, definitions, bounds));
}

/** The same, one definition after the other, and a large one in parts: to digest them takes long. */
export function* serverEntriesInSteps(
  server: string,
  definitions: UpstreamDefinitions,
  bounds: ListingBounds,
): Steps<ServerEntries> {
  const rejected: string[] = [];
  function* collect<D, E extends EntryBase>(
    all: readonly D[],
    name: (definition: D) => string,
    toEntry: (definition: D) => Steps<E>,
  ): Steps<readonly E[]> {
    const entries = new Map<string, E>();
    for (const definition of all) {
      const entry = entries.has(name(definition)) ? undefined : yield* withCanonicalForm(toEntry(definition));
      if (entry === undefined) rejected.push(name(definition));
      else entries.set(name(definition), entry);
      yield;
    }
    return [...entries.values()];
  }
  const { kept: resources, excess } = withinBounds(definitions, bounds);
  const templates = resources.filter(isTemplate).map((template) => toTemplate(server, template));
  return {
    capabilities: yield* collect(
      definitions.tools,
      (tool) => tool.name,
      (tool) => toCapability(server, tool),
    ),
    resources: yield* collect(resources, uriOf, (resource) => toResource(server, resource, templates)),
    prompts: yield* collect(
      definitions.prompts,
      (prompt) => prompt.name,
      (prompt) => toPrompt(server, prompt),
    ),
    rejected,
    excess,
    ...(definitions.about === undefined ? {} : { about: definitions.about }),
  };
}

function* toCapability(server: string, definition: ToolDefinition): Steps<CapabilityEntry> {
  const { name, description = '', annotations } = definition;
  const id = `${server}.${name}`;
  return {
    kind: 'capability',
    id,
    canonicalId: id,
    server,
    names: [id],
    tool: name,
    description,
    mode: annotations?.readOnlyHint === true ? 'read' : 'write',
    definition,
    digest: yield* digestInSteps({ id, server, definition }),
    item: { id, summary: firstSentence(description), server, tool: name, tags: capabilityTags(server, definition) },
    passthrough: false,
  };
}

function* toResource(
  server: string,
  definition: ResourceDefinition | ResourceTemplateDefinition,
  templates: readonly Template[],
): Steps<ResourceEntry> {
  const uri = uriOf(definition);
  const id = `${server}.${uri}`;
  const literals = isTemplate(definition) ? templateLiterals(uri) : undefined;
  return {
    kind: 'resource',
    id,
    canonicalId: id,
    server,
    names: namesOfUri(server, uri),
    uri,
    definition,
    ...(literals === undefined ? {} : { template: literals }),
    spellings: comparedSpellings(literals ?? [uri]),
    coveredBy: literals === undefined ? coveringIds(templates, uri) : [],
    digest: yield* digestInSteps({ id, server, definition }),
    item: {
      id,
      server,
      uri,
      name: definition.name,
      tags: toTags([server], definition._meta),
      ...(definition.description === undefined ? {} : { description: definition.description }),
      ...(definition.mimeType === undefined ? {} : { mime_type: definition.mimeType }),
    },
  };
}

function* toPrompt(server: string, definition: PromptDefinition): Steps<PromptEntry> {
  const id = `${server}.${definition.name}`;
  return {
    kind: 'prompt',
    id,
    canonicalId: id,
    server,
    names: [id],
    name: definition.name,
    definition,
    digest: yield* digestInSteps({ id, server, definition }),
    item: {
      id,
      server,
      name: definition.name,
      arguments: [...(definition.arguments ?? [])],
      tags: toTags([server], definition._meta),
      ...(definition.title === undefined ? {} : { title: definition.title }),
      ...(definition.description === undefined ? {} : { description: definition.description }),
    },
  };
}

function capabilityTags(server: string, { annotations = {}, _meta }: ToolDefinition): string[] {
  const hints = [
    annotations.readOnlyHint === true ? 'read-only' : '',
    annotations.destructiveHint === true ? 'destructive' : '',
    annotations.idempotentHint === true ? 'idempotent' : '',
    annotations.openWorldHint === true ? 'open-world' : '',
  ];
  return toTags([server, ...hints], _meta);
}

function toTags(own: readonly string[], meta: JsonObject | undefined): string[] {
  const given = Array.isArray(meta?.tags) ? meta.tags.filter((tag) => typeof tag === 'string') : [];
  const tags = [...own, ...given].map((tag) => tag.toLowerCase()).filter((tag) => tag !== '');
  return [...new Set(tags)].sort(compareCodePoints);
}

function isTemplate(
  definition: ResourceDefinition | ResourceTemplateDefinition,
): definition is ResourceTemplateDefinition {
  return 'uriTemplate' in definition;
}

function uriOf(definition: ResourceDefinition | ResourceTemplateDefinition): string {
  return isTemplate(definition) ? definition.uriTemplate : definition.uri;
}

/** A definition that has no canonical form (a lone surrogate, nesting without end) cannot be digested or sent on. */
function* withCanonicalForm<E>(toEntry: Steps<E>): Steps<E | undefined> {
  try {
    return yield* toEntry;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
