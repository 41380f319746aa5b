// Search over what the caller sees, in the shape it is answered in.
import { type CapabilityMode, defaultSearchLimit, type SearchAnswer } from '@portico/contracts';
import type { Viewer } from '@portico/policy-engine';
import { briefly, type Fit, fitOf, type Meaning, type SearchQuery, whyOf } from '@portico/search';
import type { PlaneState } from '../state/plane-state.js';
import { resolveView } from '../state/target.js';

export interface SearchRequest {
  readonly query?: string | null | undefined;
  readonly limit?: number | null | undefined;
  readonly server_ids?: readonly string[] | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly modes?: readonly CapabilityMode[] | null | undefined;
}

/**
 * A filter that is empty filters nothing.
 * @param meaning where there is one, it counts as well as the words
 * @throws CallFailure TOOL_NOT_FOUND for an unknown profile
 */
export function searchCatalog(
  state: PlaneState,
  viewer: Viewer,
  request: SearchRequest,
  meaning?: Meaning,
): SearchAnswer {
  const view = resolveView(state, viewer, 'tool');
  const isWhole = viewer.profile === null && viewer.role === null;
  const wanted = filterIn(request.server_ids);
  const tags = filterIn(request.tags);
  const modes = filterIn(request.modes);
  const servers = isWhole ? wanted : visibleServers(state, view.hasServer, wanted);
  const isVisible = (id: string) => {
    const entry = state.catalog.findCapability(id);
    return entry !== undefined && view.lists(entry);
  };
  const query: SearchQuery = {
    limit: request.limit ?? defaultSearchLimit,
    ...(request.query == null ? {} : { text: request.query }),
    ...(servers === undefined ? {} : { serverIds: servers }),
    ...(tags === undefined ? {} : { tags: tags.map((tag) => tag.toLowerCase()) }),
    ...(modes === undefined ? {} : { modes }),
    ...(isWhole ? {} : { isVisible }),
  };
  const found = state.search.search(query, meaning);
  const hits = request.limit == null ? briefly(found, meaning) : found;
  const capabilities = hits.flatMap((hit) => {
    const { id, score, matchTypes } = hit;
    const entry = state.catalog.findCapability(id);
    if (entry === undefined) return [];
    const { summary, server, tags } = entry.item;
    const why = whyOf(hit, summary, () => meaning?.nearestPhrase?.(entry.description) ?? summary);
    const item = { id, summary, server, tags, mode: entry.mode, score, match_types: [...matchTypes] };
    return [why === undefined ? item : { ...item, why }];
  });
  const fit: Fit = (request.query?.trim() ?? '') === '' ? 'possible' : fitOf(hits, meaning);
  return {
    version: 'v1',
    catalog_version: view.catalogVersion,
    capabilities,
    ...(fit === 'confident' ? { confident: true } : {}),
    ...(fit === 'none' ? { no_good_match: insteadOf(capabilities) } : {}),
  };
}

const maxInstead = 3;

/** Where to look instead: the servers and tags of what is nearest. */
function insteadOf(capabilities: SearchAnswer['capabilities']): NonNullable<SearchAnswer['no_good_match']> {
  const first = (names: readonly string[]) => [...new Set(names)].slice(0, maxInstead);
  const hint =
    capabilities.length === 0
      ? 'nothing matches; search in other words'
      : 'no hit is likely what you want; search in other words, or by server or tag';
  return {
    hint,
    servers: first(capabilities.map(({ server }) => server)),
    tags: first(capabilities.flatMap(({ tags }) => tags)),
  };
}

function filterIn<T>(given: readonly T[] | null | undefined): readonly T[] | undefined {
  return given == null || given.length === 0 ? undefined : given;
}

/** Filters narrow the view and never widen it. */
function visibleServers(
  { servers }: PlaneState,
  isVisible: (server: string) => boolean,
  wanted: readonly string[] | undefined,
): readonly string[] {
  return (wanted ?? [...servers.keys()]).filter(isVisible);
}
