// The tools that a client sees: the facade's own, aliases that are passed through, and upstream tools by their names.
import type { CapabilityEntry, CatalogView } from '@portico/catalog-core';
import type { JsonObject, McpExposure } from '@portico/contracts';
import { type FacadeTool, facadeTools } from '../tools/facade-tools.js';
import { nativeName } from './names.js';

export type ListedTool =
  | { readonly kind: 'facade'; readonly definition: JsonObject; readonly tool: FacadeTool }
  | { readonly kind: 'upstream'; readonly definition: JsonObject; readonly id: string };

/** By name, in the order they are listed. */
export type ToolTable = ReadonlyMap<string, ListedTool>;

/** Of two with one name the first counts: the facade's, then aliases, then upstream tools by their ids. */
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

/** JSON, as the upstream defines it, but for the name; an alias may describe it in words of its own. */
function upstreamTool(name: string, { canonicalId, definition, description }: CapabilityEntry): ListedTool {
  const described = description === (definition.description ?? '') ? {} : { description };
  return {
    kind: 'upstream',
    definition: { ...definition, name, ...described } as unknown as JsonObject,
    id: canonicalId,
  };
}

/** Several aliases of one tool are several entries. */
function byCanonicalId(entries: readonly CapabilityEntry[]): readonly CapabilityEntry[] {
  const unique = new Map(entries.map((entry) => [entry.canonicalId, entry]));
  return [...unique.values()].sort((a, b) => (a.canonicalId < b.canonicalId ? -1 : 1));
}
