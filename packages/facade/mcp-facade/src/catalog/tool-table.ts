// The tools that a client sees: the facade's own, aliases that are passed through, and upstream tools by their names.
import type { CapabilityEntry, CatalogView } from '@portico/catalog-core';
import { isForApps, type JsonObject, type McpExposure, qualifyUiMeta, uiUrisIn } from '@portico/contracts';
import type { AskedName, PlaneState } from '@portico/control-plane';
import { type FacadeTool, facadeTools } from '../tools/facade-tools.js';
import { nativeName } from './names.js';

export type ListedTool =
  | { readonly kind: 'facade'; readonly definition: JsonObject; readonly tool: FacadeTool }
  | {
      readonly kind: 'upstream';
      readonly definition: JsonObject;
      readonly id: string;
      /** Undefined for one that is not listed. */
      readonly server?: string;
    };

export type UpstreamTool = Extract<ListedTool, { readonly kind: 'upstream' }>;

/** By name, in the order they are listed. */
export type ToolTable = ReadonlyMap<string, ListedTool>;

/** The first of two with one name counts: the facade's, then aliases, then upstream tools by their ids. */
export function createToolTable(view: CatalogView, exposure: McpExposure): ToolTable {
  const table = new Map<string, ListedTool>();
  const add = (name: string, tool: ListedTool) => {
    if (!table.has(name)) table.set(name, tool);
  };
  if (exposure !== 'native') {
    for (const tool of facadeTools) add(tool.name, { kind: 'facade', definition: tool.definition, tool });
  }
  for (const entry of view.capabilities) {
    if (entry.passthrough) add(entry.id, upstreamTool(entry.id, entry));
  }
  if (exposure === 'facade') return table;
  for (const entry of byCanonicalId(view.capabilities)) {
    const name = nativeName(entry.server, entry.tool);
    add(name, upstreamTool(name, entry));
  }
  return table;
}

/** The scope of a list of tools: without native tools, aliases that are passed through. */
export function listedTools({ config }: PlaneState): 'everything' | readonly AskedName[] {
  if (config.mcpExposure !== 'facade') return 'everything';
  const aliases = [...config.aliases.capability].filter(([, { passthrough }]) => passthrough === true);
  return aliases.map(([id]) => ({ kind: 'tool', id }));
}

/**
 * JSON, as the upstream defines it, but for the name and that of its page; an alias may describe it in words of its own.
 */
export function upstreamTool(
  name: string,
  { canonicalId, server, definition, description }: CapabilityEntry,
): UpstreamTool {
  const described = description === (definition.description ?? '') ? {} : { description };
  const { _meta } = definition;
  const paged = _meta === undefined ? {} : { _meta: qualifyUiMeta(_meta, server) };
  return {
    kind: 'upstream',
    definition: { ...definition, name, ...described, ...paged } as unknown as JsonObject,
    id: canonicalId,
    server,
  };
}

/**
 * The tools that a page may call by their own names, which is all it knows: those of servers with a tool in the table that
 * names a page. By name; several where servers share one.
 */
export function createPageTools(view: CatalogView, table: ToolTable): ReadonlyMap<string, readonly CapabilityEntry[]> {
  const withPages = new Set<string>();
  for (const tool of table.values()) {
    if (tool.kind !== 'upstream' || tool.server === undefined) continue;
    if (uiUrisIn(tool.definition._meta as JsonObject | undefined).length > 0) withPages.add(tool.server); // an object, as checked on arrival
  }
  const tools = new Map<string, readonly CapabilityEntry[]>();
  for (const entry of byCanonicalId(view.capabilities)) {
    if (!withPages.has(entry.server) || !isForApps(entry.definition._meta)) continue;
    tools.set(entry.tool, [...(tools.get(entry.tool) ?? []), entry]);
  }
  return tools;
}

/** Several aliases of one tool are several entries. */
function byCanonicalId(entries: readonly CapabilityEntry[]): readonly CapabilityEntry[] {
  const unique = new Map(entries.map((entry) => [entry.canonicalId, entry]));
  return [...unique.values()].sort((a, b) => (a.canonicalId < b.canonicalId ? -1 : 1));
}
