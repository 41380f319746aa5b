// The vector of a query: from a small cache, else from the embedder, within a short time limit. Without one the search
// uses words only. A failing embedder is not called for a while, so that it does not slow every search.
import { untilAborted } from '@portico/async';
import { type AdmittedCall, type Clock, createBreaker, startDeadline } from '@portico/upstream-pool';
import type { Embedder } from './embedder.js';
import type { Trouble } from './trouble.js';

export interface QueryVectors {
  /** Undefined when there is none in time. Never rejects. */
  of(text: string): Promise<Float32Array | undefined>;
  /** Ends what is being computed. */
  close(): void;
}

/** How long a search waits. */
export const queryTimeoutMs = 1000;

const cacheSize = 256;
const maxAtOnce = 32;
/** Characters of a query that are read, as by the lexical search. */
const maxChars = 8192;

/** A model that is still busy fails no more than twice in a row before it has its rest. */
const breakerSettings = { failureThreshold: 2, cooldownMs: 30_000, consecutiveSuccesses: 1 };

export function createQueryVectors(embedder: Embedder, clock: Clock, trouble: Trouble): QueryVectors {
  const cache = new Map<string, Float32Array>();
  const running = new Map<string, Promise<Float32Array | undefined>>();
  const breaker = createBreaker(breakerSettings, clock.now);
  const closing = new AbortController();

  const compute = async (text: string): Promise<Float32Array | undefined> => {
    const call: AdmittedCall = { admission: 'plain' };
    if (breaker.admit(call) !== undefined) return undefined;
    const deadline = startDeadline(clock, queryTimeoutMs, closing.signal);
    try {
      const [vector] = await untilAborted(embedder.embed([text], deadline.signal), deadline.signal);
      if (vector === undefined) throw new Error('it gave no vector');
      breaker.succeed(call);
      trouble.succeeded();
      remember(cache, text, vector);
      return vector;
    } catch (error) {
      breaker.fail(call);
      if (!closing.signal.aborted) trouble.failed(error);
      return undefined;
    } finally {
      deadline.stop();
    }
  };

  return {
    async of(query) {
      const text = query.slice(0, maxChars);
      const known = cache.get(text);
      if (known !== undefined) return remember(cache, text, known);
      const shared = running.get(text);
      if (shared !== undefined) return shared;
      if (running.size >= maxAtOnce || closing.signal.aborted) return undefined;
      const work = compute(text).finally(() => running.delete(text));
      running.set(text, work);
      return work;
    },
    close: () => closing.abort(new Error('the service is stopping')),
  };
}

/** The one that was used longest ago gives way. */
function remember(cache: Map<string, Float32Array>, text: string, vector: Float32Array): Float32Array {
  cache.delete(text);
  cache.set(text, vector);
  const [oldest] = cache.keys();
  if (cache.size > cacheSize && oldest !== undefined) cache.delete(oldest);
  return vector;
}
