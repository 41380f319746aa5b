// The public index: search over immutable segments, one per server.
// Never changes in place, so a reader keeps a consistent catalog while a server is replaced.
import { finish, type Steps } from '@portico/async';
import { createSegmentInSteps } from './create-segment.js';
import { findHits } from './find-hits.js';
import { findFusedHits } from './fused-hits.js';
import type { Meaning, SearchDocument, SearchEntry, SearchHit, SearchQuery } from './search-document.js';
import { changeSegments, emptyTermIndex, type TermIndex } from './term-index.js';

/** A searchable catalog, frozen at its creation. */
export interface SearchIndex {
  /** How many documents it holds. */
  readonly size: number;
  /**
   * Returns the best hits for a query. Never fails, for any text.
   * @param meaning where it is given, words and meaning are fused
   */
  search(query: SearchQuery, meaning?: Meaning): readonly SearchHit[];
  /**
   * A new index in which `documents` are all that this server has. Only they are cut into words; of the others, lists of
   * numbers and words are copied.
   */
  replaceServer(server: string, documents: readonly SearchEntry[]): SearchIndex;
  /** The same in steps, none of them longer than a document or a part of what is shared by all servers. */
  replaceServerInSteps(server: string, documents: readonly SearchDocument[]): Steps<SearchIndex>;
}

/** Builds an index over documents of any number of servers. Their order has no effect on any search. */
export function createSearchIndex(documents: readonly SearchEntry[]): SearchIndex {
  const byServer = new Map<string, SearchDocument[]>();
  for (const entry of documents) {
    const document = toDocument(entry, '');
    const list = byServer.get(document.server);
    if (list === undefined) byServer.set(document.server, [document]);
    else list.push(document);
  }
  const segments = [...byServer].map(([server, list]) => [server, finish(createSegmentInSteps(list))] as const);
  return toSearchIndex(finish(changeSegments(emptyTermIndex, new Map(segments))));
}

function toSearchIndex(index: TermIndex): SearchIndex {
  function* replaceServerInSteps(server: string, documents: readonly SearchDocument[]): Steps<SearchIndex> {
    const segment = yield* createSegmentInSteps(documents);
    return toSearchIndex(yield* changeSegments(index, new Map([[server, segment]])));
  }
  return Object.freeze({
    size: index.size,
    search: (query: SearchQuery, meaning?: Meaning) =>
      meaning === undefined ? findHits(index, query) : findFusedHits(index, query, meaning),
    replaceServer: (server: string, documents: readonly SearchEntry[]) =>
      finish(
        replaceServerInSteps(
          server,
          documents.map((entry) => toDocument(entry, server)),
        ),
      ),
    replaceServerInSteps,
  });
}

/** Documents without a gap stay the objects that they are. */
function toDocument(entry: SearchEntry, ofServer: string): SearchDocument {
  if (isComplete(entry)) return entry;
  const { id, description, server = ofServer, tool = id, summary = description } = entry;
  const { tags = [], argumentNames = [], mode = 'write', digest } = entry;
  return { id, server, tool, summary, description, tags, argumentNames, mode, digest };
}

function isComplete(entry: SearchEntry): entry is SearchDocument {
  const { server, tool, summary, tags, argumentNames, mode } = entry;
  return [server, tool, summary, tags, argumentNames, mode].every((member) => member !== undefined);
}
