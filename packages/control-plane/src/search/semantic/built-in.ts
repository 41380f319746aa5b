// Search with the built-in model. Nothing is read or computed before the first search: start time and idle memory are
// the same as without it. From then on vectors are computed when definitions arrive. A search waits for a few missing
// vectors; with many missing, it uses words only and reports that. With all vectors present, the same catalog and query
// have the same answer at any time and in every daemon.
import type { CapabilityEntry, Catalog } from '@portico/catalog-core';
import type { SearchAnswer } from '@portico/contracts';
import type { Viewer } from '@portico/policy-engine';
import { embedDocument } from '@portico/search';
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../../common/log.js';
import { type PlaneState, toSearchDocument } from '../../state/plane-state.js';
import { resolveView } from '../../state/target.js';
import { type SearchRequest, searchCatalog } from '../search-catalog.js';
import { createKnownVectors } from './known-vectors.js';
import { nearestPhraseBy } from './nearest-phrase.js';
import type { TextModel } from './text-model.js';

export interface BuiltInDeps {
  /** Rejects with what is wrong with the model. Called at most once, by the first search with a query. */
  readonly loadModel: () => Promise<TextModel>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface BuiltInSearch {
  /** The catalog is another now. Never throws and never waits. */
  note(state: PlaneState): void;
  /** Rejects with CallFailure TOOL_NOT_FOUND for an unknown profile, and with nothing else. */
  search(state: PlaneState, viewer: Viewer, request: SearchRequest): Promise<SearchAnswer>;
  /** Definitions that have their vector, those that have none yet, and 1 when the model cannot be used. */
  ready(): number;
  missing(): number;
  failures(): number;
  close(): Promise<void>;
}

/** How long vectors are computed in one turn of the event loop; a long definition takes about half a millisecond. */
const shareMs = 3;

/** How many of the leading numbers of a vector are enough for an estimate: they are ordered by variance. */
const leadingDimensions = 40;

/**
 * The weight of a cosine of 1 above the average, relative to the best match of the words.
 * docs/decisions/semantic-search.md.
 */
const trust = 6;

/**
 * A search waits for at most this many vectors, which take some 0.1 s. A number and not a time, so that the result is
 * the same on every machine.
 */
const mostAwaited = 1_000;

/** The work for one catalog. */
interface Preparation {
  readonly catalog: Catalog;
  readonly done: Promise<void>;
  isDone: boolean;
}

export function createBuiltInSearch({ loadModel, clock, log }: BuiltInDeps): BuiltInSearch {
  const known = createKnownVectors({ leadingDimensions, trust });
  const closing = new AbortController();
  const { signal } = closing;
  let current: Catalog | undefined;
  let loading: Promise<TextModel | undefined> | undefined;
  let loaded: TextModel | undefined;
  let isBroken = false;
  let last: Preparation | undefined;

  const load = async () => {
    try {
      loaded = await loadModel();
      return loaded;
    } catch (error) {
      isBroken = true;
      const reason = error instanceof Error ? error.message : String(error);
      log('error', 'the model of search cannot be used; search uses words only', { reason });
      return undefined;
    }
  };

  const computeVectors = async (model: TextModel, entries: readonly CapabilityEntry[]) => {
    let beganAtMs = clock.now();
    for (const entry of entries) {
      if (signal.aborted) return;
      if (clock.now() - beganAtMs >= shareMs) {
        await clock.sleep(0, signal).catch(() => {}); // others have their turn
        beganAtMs = clock.now();
      }
      if (!known.has(entry.digest)) known.put(entry.digest, embedDocument(toSearchDocument(entry), model.embed));
    }
  };

  const prepare = async (model: TextModel, { capabilities }: Catalog, before: Promise<void> | undefined) => {
    await before; // the searches of that catalog have their vectors until they have ended
    const digests = new Set(capabilities.map(({ digest }) => digest));
    known.keep((digest) => digests.has(digest), digests.size);
    await computeVectors(model, capabilities);
  };

  /** Begins to compute what the catalog lacks, once for each catalog. */
  const begin = (model: TextModel, catalog: Catalog): Preparation => {
    if (last?.catalog === catalog) return last;
    const next: Preparation = { catalog, isDone: false, done: prepare(model, catalog, last?.done) };
    void next.done.then(() => {
      next.isDone = true;
    });
    last = next;
    return next;
  };

  const missingIn = (catalog: Catalog | undefined): number =>
    new Set(catalog?.capabilities.flatMap(({ digest }) => (known.has(digest) ? [] : [digest]))).size;

  /** Whether every definition of the catalog has its vector; waits for that where few have none. */
  const isPrepared = async (model: TextModel, catalog: Catalog): Promise<boolean> => {
    if (last?.catalog !== catalog && missingIn(catalog) === 0) return true; // one from before a change
    const preparation = begin(model, catalog);
    if (!preparation.isDone && missingIn(catalog) <= mostAwaited) await preparation.done;
    return preparation.isDone;
  };

  return {
    ready: known.size,
    missing: () => missingIn(current),
    failures: () => (isBroken ? 1 : 0),
    note({ catalog }) {
      current = catalog;
      if (loaded !== undefined) begin(loaded, catalog);
    },
    async search(state, viewer, request) {
      resolveView(state, viewer, 'tool'); // what is refused waits for nothing
      const text = request.query?.trim() ?? '';
      if (text === '' || isBroken) return searchCatalog(state, viewer, request);
      loading ??= load();
      const model = await loading;
      if (!model?.understands(text)) return searchCatalog(state, viewer, request);
      if (!(await isPrepared(model, state.catalog))) {
        return { ...searchCatalog(state, viewer, request), meaning_pending: true };
      }
      const vector = model.embed(text);
      const meaning = known.meaningOf(vector);
      const nearestPhrase = nearestPhraseBy(model, vector);
      return searchCatalog(state, viewer, request, meaning && { ...meaning, isWord: model.isWord, nearestPhrase });
    },
    async close() {
      closing.abort(new Error('the service is stopping'));
      await loading;
      await last?.done;
    },
  };
}
