// Search by words and by meaning: keeps vectors for the listed definitions, and uses those that exist. With a
// configured embedder or the built-in model; without either, search uses words only.
import type { SearchAnswer } from '@portico/contracts';
import type { Viewer } from '@portico/policy-engine';
import { embeddingTextVersion, type Meaning, toEmbeddingText } from '@portico/search';
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../../common/log.js';
import type { ObservedMetric, PlaneMetrics } from '../../observability/metrics/metrics.js';
import { type PlaneState, toSearchDocument } from '../../state/plane-state.js';
import { resolveView } from '../../state/target.js';
import { type SearchRequest, searchCatalog } from '../search-catalog.js';
import { createBuiltInSearch } from './built-in.js';
import type { Embedder } from './embedder.js';
import { createFilling } from './filling.js';
import { createKnownVectors } from './known-vectors.js';
import { createQueryVectors } from './query-vectors.js';
import type { TextModel } from './text-model.js';
import { createTrouble } from './trouble.js';
import type { VectorStore } from './vector-store.js';

export interface SemanticSearch {
  /** The catalog is another now. Never throws and never waits. */
  note(state: PlaneState): void;
  /** Rejects with CallFailure TOOL_NOT_FOUND for an unknown profile, and with nothing else. */
  search(state: PlaneState, viewer: Viewer, request: SearchRequest): Promise<SearchAnswer>;
  /** Removes vectors that nothing has used for a month. */
  purge(nowMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface SemanticSearchDeps {
  readonly embedder?: Embedder | undefined;
  /** Reads the model that comes with the product. Counts where there is no embedder. */
  readonly loadModel?: (() => Promise<TextModel>) | undefined;
  readonly vectors: VectorStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: PlaneMetrics;
}

const dayMs = 86_400_000;
const keepMs = 30 * dayMs;

export function createSemanticSearch(deps: SemanticSearchDeps): SemanticSearch {
  const { embedder, loadModel, vectors, metrics } = deps;
  if (embedder !== undefined) return createFusedSearch({ ...deps, embedder });
  const purge = (nowMs: number) => vectors.purge(nowMs - keepMs);
  if (loadModel !== undefined) {
    const builtIn = createBuiltInSearch({ ...deps, loadModel });
    observe(metrics, builtIn);
    return { ...builtIn, purge };
  }
  observe(metrics, { ready: () => 0, missing: () => 0, failures: () => 0 });
  return {
    note() {},
    search: async (state, viewer, request) => searchCatalog(state, viewer, request),
    purge,
    async close() {},
  };
}

function createFusedSearch(deps: SemanticSearchDeps & { readonly embedder: Embedder }): SemanticSearch {
  const { embedder, vectors: store, clock, log, metrics } = deps;
  const model = `${embedder.id} text-${embeddingTextVersion}`;
  const trouble = createTrouble(log, clock, embedder.id);
  const known = createKnownVectors();
  const filling = createFilling({ embedder, store, model, known, clock, log, trouble });
  const queries = createQueryVectors(embedder, clock, trouble);
  let inUse: readonly string[] = [];
  let touchedMs = Number.NEGATIVE_INFINITY;
  observe(metrics, { ready: known.size, missing: filling.missing, failures: trouble.failures });

  const meaningOf = async (text: string): Promise<Meaning | undefined> => {
    if (text === '' || known.size() === 0) return undefined;
    const vector = await queries.of(text);
    if (vector === undefined) return undefined;
    const meaning = known.meaningOf(vector);
    if (meaning !== undefined) return meaning;
    known.adopt(vector.length); // the model is another one than it was under the same name
    filling.wake();
    return undefined;
  };

  return {
    note({ catalog }) {
      const wanted = new Map(
        catalog.capabilities.map((entry) => [entry.digest, () => toEmbeddingText(toSearchDocument(entry))] as const),
      );
      inUse = [...wanted.keys()];
      filling.want(wanted);
    },
    async search(state, viewer, request) {
      resolveView(state, viewer, 'tool'); // what is refused asks no model
      return searchCatalog(state, viewer, request, await meaningOf(request.query?.trim() ?? ''));
    },
    async purge(nowMs) {
      if (inUse.length === 0) return; // no list has been read yet, or there is nothing to compare with
      if (nowMs - touchedMs >= dayMs) {
        await store.touch(model, inUse, nowMs);
        touchedMs = nowMs;
      }
      await store.purge(nowMs - keepMs);
    },
    async close() {
      queries.close();
      await filling.close();
    },
  };
}

interface Readings {
  readonly ready: () => number;
  readonly missing: () => number;
  readonly failures: () => number;
}

function observe(metrics: PlaneMetrics, { ready, missing, failures }: Readings): void {
  const show = (type: ObservedMetric['type'], name: string, help: string, read: () => number) =>
    metrics.observe({ type, name, help, read });
  show('gauge', 'portico_search_vectors_ready', 'Definitions whose vector takes part in search', ready);
  show('gauge', 'portico_search_vectors_missing', 'Definitions whose vector is not computed yet', missing);
  show(
    'counter',
    'portico_embedder_failures_total',
    'Requests to the embedder that failed or came late, or 1 for a built-in model that cannot be used',
    failures,
  );
}
