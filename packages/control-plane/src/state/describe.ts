// The detail of one capability: what an agent needs to call it.
import type { CapabilityDetail, JsonObject } from '@portico/contracts';
import type { Viewer } from '@portico/policy-engine';
import { nearHint } from './near-ids.js';
import type { PlaneState } from './plane-state.js';
import { notFound, resolveView } from './target.js';

export interface Description {
  readonly capability: CapabilityDetail;
  /** ETag of this entry without its quotes: it changes with the entry's definition, and with what a role is narrowed to. */
  readonly etag: string;
  readonly cacheScope: 'public' | 'private';
}

/** @throws CallFailure TOOL_NOT_FOUND for an id or profile that is unknown, or that the caller's view does not list */
export function describe(state: PlaneState, viewer: Viewer, id: string): Description {
  const view = resolveView(state, viewer, 'tool');
  const entry = state.catalog.findCapability(id);
  if (entry === undefined || !view.lists(entry)) throw notFound('tool', id, nearHint(view, id));
  const { title, inputSchema, outputSchema, annotations } = entry.definition;
  const examples = inputSchema.examples;
  return {
    etag: `sha256:${entry.digest}${view.etagSuffix}`,
    cacheScope: view.cacheScope,
    capability: {
      id: entry.id,
      server: entry.server,
      tool: entry.tool,
      description: entry.description,
      input_schema: inputSchema,
      examples: Array.isArray(examples) ? examples : [],
      tags: entry.item.tags,
      ...(title === undefined ? {} : { title }),
      ...(outputSchema === undefined ? {} : { output_schema: outputSchema }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } satisfies JsonObject }),
    },
  };
}
