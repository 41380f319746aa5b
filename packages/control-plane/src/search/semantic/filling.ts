// Ensures a vector for every definition of the catalog: stored ones first, the rest computed, a few at a time and each
// once. Runs in the background while vectors are missing; nothing waits for it.
import { type AbortSignalLike, untilAborted } from '@portico/async';
import { type Clock, retryDelayMs } from '@portico/upstream-pool';
import type { Log } from '../../common/log.js';
import type { Embedder } from './embedder.js';
import type { KnownVectors } from './known-vectors.js';
import type { Trouble } from './trouble.js';
import type { VectorStore } from './vector-store.js';

/** The texts that vectors are wanted for, by digest. */
export type Wanted = ReadonlyMap<string, () => string>;

export interface Filling {
  /** The required definitions from now on. Never throws and never waits. */
  want(wanted: Wanted): void;
  /** Looks again for what is missing. */
  wake(): void;
  missing(): number;
  /** Resolves when nothing runs any more. */
  close(): Promise<void>;
}

export interface FillingDeps {
  readonly embedder: Embedder;
  readonly store: VectorStore;
  /** Under which name vectors are kept. */
  readonly model: string;
  readonly known: KnownVectors;
  readonly clock: Clock;
  readonly log: Log;
  readonly trouble: Trouble;
}

/** Few enough for a model on a slow machine to be done soon. */
const embedAtOnce = 16;
const loadAtOnce = 256;

export function createFilling(deps: FillingDeps): Filling {
  const { known, clock, trouble } = deps;
  const closing = new AbortController();
  const { signal } = closing;
  let wanted: Wanted = new Map();
  let working: Promise<void> | undefined;

  const missing = () => [...wanted.keys()].filter((digest) => !known.has(digest));

  const work = async () => {
    const looked = new Set<string>(); // in the store
    for (let failures = 0; !signal.aborted; ) {
      const lacking = missing();
      const unlooked = lacking.filter((digest) => !looked.has(digest)).slice(0, loadAtOnce);
      if (lacking.length === 0) return;
      if (unlooked.length > 0) {
        await loadKept(deps, unlooked);
        for (const digest of unlooked) looked.add(digest);
        await clock.sleep(0, signal).catch(() => {}); // others have their turn
        continue;
      }
      try {
        await computeSome(deps, wanted, lacking.slice(0, embedAtOnce), signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        trouble.failed(error);
        await clock.sleep(retryDelayMs(failures), signal).catch(() => {});
      }
    }
  };

  const wake = () => {
    if (signal.aborted || working !== undefined) return;
    working = work().finally(() => {
      working = undefined;
      if (missing().length > 0) wake(); // wanted while it ended
    });
  };

  return {
    want(next) {
      wanted = next;
      known.keep((digest) => next.has(digest));
      wake();
    },
    wake,
    missing: () => missing().length,
    async close() {
      closing.abort(new Error('the service is stopping'));
      await working;
    },
  };
}

/** Unreadable vectors are computed again. */
async function loadKept({ store, model, known, log }: FillingDeps, digests: readonly string[]): Promise<void> {
  try {
    for (const { digest, vector } of await store.load(model, digests)) known.put(digest, vector);
  } catch (error) {
    log('error', 'kept vectors could not be read; they are computed again', { error });
  }
}

/** A vector that cannot be stored is used until the next start. @throws the error of the embedder */
async function computeSome(
  { embedder, store, model, known, clock, log, trouble }: FillingDeps,
  wanted: Wanted,
  digests: readonly string[],
  signal: AbortSignalLike,
): Promise<void> {
  const texts = digests.map((digest) => wanted.get(digest)?.() ?? '');
  const vectors = await untilAborted(embedder.embed(texts, signal), signal);
  if (vectors.length !== texts.length) throw new Error(`it gave ${vectors.length} vectors for ${texts.length} texts`);
  const length = vectors[0]?.length ?? 0;
  if (length === 0 || vectors.some((vector) => vector.length !== length)) {
    throw new Error('it gave vectors that are empty or of several lengths');
  }
  trouble.succeeded();
  known.adopt(length);
  const computed = digests.flatMap((digest, at) => {
    const vector = vectors[at];
    return vector === undefined ? [] : [{ digest, vector }];
  });
  for (const { digest, vector } of computed) known.put(digest, vector);
  await store.save(model, computed, clock.epochMs()).catch((error: unknown) => {
    log('error', 'vectors are not kept over a restart', { error });
  });
}
