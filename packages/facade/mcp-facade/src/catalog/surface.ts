// The part of the catalog that one client sees, under MCP's names. Made once for each view, and dropped with it.
import type { CapabilityEntry, CatalogView } from '@portico/catalog-core';
import type { ControlPlane } from '@portico/control-plane';
import type { Viewer } from '@portico/policy-engine';
import { createPromptTable, type PromptTable } from './prompt-table.js';
import { createPageTools, createToolTable, type ToolTable } from './tool-table.js';

export interface Surface {
  readonly view: CatalogView;
  readonly tools: () => ToolTable;
  /** Tools that pages of MCP Apps call by the names that their servers gave them. */
  readonly pageTools: () => ReadonlyMap<string, readonly CapabilityEntry[]>;
  readonly prompts: () => PromptTable;
}

/** @returns the view of a caller; throws CallFailure for a profile that the caller does not have */
export function createSurfaces(plane: ControlPlane): (viewer: Viewer) => Surface {
  const surfaces = new WeakMap<CatalogView, Surface>();
  return (viewer) => {
    const view = plane.view(viewer, 'tool');
    const known = surfaces.get(view);
    if (known !== undefined) return known;
    const exposure = plane.state().config.mcpExposure;
    const tools = once(() => createToolTable(view, exposure));
    const made = {
      view,
      tools,
      pageTools: once(() => createPageTools(view, tools())),
      prompts: once(() => createPromptTable(view)),
    };
    surfaces.set(view, made);
    return made;
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
