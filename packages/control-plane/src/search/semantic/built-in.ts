// Search with the model that comes with the product: it takes microseconds and no other process, so that vectors are
// computed when a definition arrives and again after a restart, and a search waits for those that are still missing.
import type { SearchAnswer } from '@portico/contracts';
import type { Viewer } from '@portico/policy-engine';
import { type Meaning, toEmbeddingText } from '@portico/search';
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../../common/log.js';
import { type PlaneState, toSearchDocument } from '../../state/plane-state.js';
import { resolveView } from '../../state/target.js';
import { type SearchRequest, searchCatalog } from '../search-catalog.js';
import { createKnownVectors } from './known-vectors.js';
import { nearestPhraseBy } from './nearest-phrase.js';
import type { TextModel } from './text-model.js';

export interface BuiltInDeps {
  /** Rejects with what is wrong with the model. Called at most once. */
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

/** Definitions in one go; a long one takes about half a millisecond. */
const inOneGo = 8;

/** How long a search waits for vectors that are not there yet: at a start, and after a large change. */
const waitMs = 1000;

/** How many of the first numbers of a vector are enough for an estimate: they are ordered by how much they tell. */
const leadingDimensions = 48;

/** What a cosine of 1 above the average is worth beside the best match of the words. docs/decisions/semantic-search.md. */
const trust = 5;

export function createBuiltInSearch({ loadModel, clock, log }: BuiltInDeps): BuiltInSearch {
  const known = createKnownVectors({ leadingDimensions, trust });
  const closing = new AbortController();
  const { signal } = closing;
  let wanted: ReadonlyMap<string, () => string> = new Map();
  let model: TextModel | undefined;
  let isBroken = false;
  let working: Promise<void> | undefined;

  const missing = () => [...wanted.keys()].filter((digest) => !known.has(digest));

  const load = async () => {
    try {
      model ??= await loadModel();
    } catch (error) {
      isBroken = true;
      const reason = error instanceof Error ? error.message : String(error);
      log('error', 'the model of search cannot be used; search goes by words only', { reason });
    }
  };

  const work = async () => {
    await load();
    for (let lacking = missing(); lacking.length > 0; lacking = missing()) {
      for (let at = 0; at < lacking.length; at += inOneGo) {
        if (model === undefined || signal.aborted) return;
        for (const digest of lacking.slice(at, at + inOneGo)) {
          const text = wanted.get(digest);
          if (text !== undefined) known.put(digest, model.embed(text()));
        }
        await clock.sleep(0, signal).catch(() => {}); // others have their turn
      }
    }
  };

  const wake = () => {
    if (working !== undefined || isBroken || signal.aborted || missing().length === 0) return;
    working = work().finally(() => {
      working = undefined;
      wake(); // wanted while it ended
    });
  };

  /** The words alone where the vectors are not there in time. */
  const meaningOf = async (text: string): Promise<Meaning | undefined> => {
    if (text === '' || isBroken) return undefined;
    if (working !== undefined) await Promise.race([working, clock.sleep(waitMs, signal).catch(() => {})]);
    if (!model?.understands(text)) return undefined;
    const vector = model.embed(text);
    const meaning = known.meaningOf(vector);
    return meaning && { ...meaning, nearestPhrase: nearestPhraseBy(model, vector) };
  };

  return {
    ready: known.size,
    missing: () => missing().length,
    failures: () => (isBroken ? 1 : 0),
    note({ catalog }: PlaneState) {
      wanted = new Map(
        catalog.capabilities.map((entry) => [entry.digest, () => toEmbeddingText(toSearchDocument(entry))] as const),
      );
      known.keep((digest) => wanted.has(digest));
      wake();
    },
    async search(state, viewer, request) {
      resolveView(state, viewer, 'tool'); // what is refused waits for nothing
      return searchCatalog(state, viewer, request, await meaningOf(request.query?.trim() ?? ''));
    },
    async close() {
      closing.abort(new Error('the service is stopping'));
      await working;
    },
  };
}
