// The number of calls, of failures, and their durations, over the last hour and the last day. Memory is fixed, and
// there is no timer: an interval begins with its first call, and an empty one is recognised by its stamp when the
// series is read.
import type { ActivityPoint, ActivityRange } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import { bucketCount, bucketOf, percentileUs } from './duration-buckets.js';

/**
 * Calls that ended and are not in an interval yet, in parallel arrays. Filled on the way of each call, without a function;
 * of small integers, which V8 adds up without an allocation also in code that it has not optimised.
 */
export interface EndedCalls {
  /** Number of the steps of `stepMs` from the Unix epoch to the end of the call. */
  readonly step: Int32Array;
  readonly durationUs: Int32Array;
  readonly hasFailed: Uint8Array;
  count: number;
}

export interface CallSeries {
  /** A writer stores a call at `count`, adds one, and calls `takeIn` when the arrays are full. */
  readonly ended: EndedCalls;
  takeIn(): void;
  read(range: ActivityRange): { readonly step_secs: number; readonly points: readonly ActivityPoint[] };
}

/** Calls that are taken in together. */
export const gathered = 256;

export const stepMs = 10_000;
/** The stored duration of a call of 35 minutes or more, microseconds. */
export const longestUs = 2 ** 31 - 1;

const shapes = { '1h': { stepMs, slots: 360 }, '24h': { stepMs: 300_000, slots: 288 } } as const;

export function createCallSeries(clock: Pick<Clock, 'epochMs'>): CallSeries {
  const ended: EndedCalls = {
    step: new Int32Array(gathered),
    durationUs: new Int32Array(gathered),
    hasFailed: new Uint8Array(gathered),
    count: 0,
  };
  const startedMs = clock.epochMs();
  const ranges = {
    '1h': new Intervals(startedMs, shapes['1h']),
    '24h': new Intervals(startedMs, shapes['24h']),
  };

  const takeIn = () => {
    for (const intervals of Object.values(ranges)) intervals.add(ended);
    ended.count = 0;
  };

  return {
    ended,
    takeIn,
    read(range) {
      takeIn();
      return { step_secs: shapes[range].stepMs / 1000, points: ranges[range].upTo(clock.epochMs()) };
    },
  };
}

interface Shape {
  readonly stepMs: number;
  readonly slots: number;
}

/** A ring of intervals. An interval has the number of steps from the Unix epoch to its start. */
class Intervals {
  readonly #shape: Shape;
  readonly #first: number;
  #newest: number;
  /** Number of the interval that a slot holds. */
  readonly #stamps: Float64Array;
  readonly #calls: Uint32Array;
  readonly #failures: Uint32Array;
  readonly #sumUs: Float64Array;
  readonly #maxUs: Int32Array;
  /** Calls of each slot by how long they took, see duration-buckets.ts. */
  readonly #buckets: Uint32Array;

  constructor(startedMs: number, shape: Shape) {
    this.#shape = shape;
    this.#first = Math.floor(startedMs / shape.stepMs);
    this.#newest = this.#first;
    this.#stamps = new Float64Array(shape.slots).fill(-1);
    this.#calls = new Uint32Array(shape.slots);
    this.#failures = new Uint32Array(shape.slots);
    this.#sumUs = new Float64Array(shape.slots);
    this.#maxUs = new Int32Array(shape.slots);
    this.#buckets = new Uint32Array(shape.slots * bucketCount);
  }

  /** Calls that ended in one step are added up before they reach an interval. */
  add({ step, durationUs, hasFailed, count }: EndedCalls): void {
    for (let first = 0; first < count; ) {
      let next = first;
      let failures = 0;
      let sumUs = 0;
      let maxUs = 0;
      const slot = this.#slotAt((step[first] ?? 0) * stepMs);
      for (; next < count && step[next] === step[first]; next += 1) {
        const tookUs = durationUs[next] ?? 0;
        failures += hasFailed[next] ?? 0;
        sumUs += tookUs;
        if (tookUs > maxUs) maxUs = tookUs;
        const bucket = slot * bucketCount + bucketOf(tookUs);
        this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
      }
      this.#calls[slot] = (this.#calls[slot] ?? 0) + next - first;
      this.#failures[slot] = (this.#failures[slot] ?? 0) + failures;
      this.#sumUs[slot] = (this.#sumUs[slot] ?? 0) + sumUs;
      this.#maxUs[slot] = Math.max(this.#maxUs[slot] ?? 0, maxUs);
      first = next;
    }
  }

  /** A clock that was set back adds to the newest interval. */
  #slotAt(epochMs: number): number {
    this.#newest = Math.max(this.#newest, Math.floor(epochMs / this.#shape.stepMs));
    const slot = this.#newest % this.#shape.slots;
    if (this.#stamps[slot] === this.#newest) return slot;
    this.#stamps[slot] = this.#newest;
    this.#calls[slot] = 0;
    this.#failures[slot] = 0;
    this.#sumUs[slot] = 0;
    this.#maxUs[slot] = 0;
    this.#buckets.fill(0, slot * bucketCount, (slot + 1) * bucketCount);
    return slot;
  }

  upTo(nowMs: number): readonly ActivityPoint[] {
    const { stepMs, slots } = this.#shape;
    const last = Math.max(this.#newest, Math.floor(nowMs / stepMs));
    const first = Math.max(this.#first, last - slots + 1);
    return Array.from({ length: last - first + 1 }, (_, index) => this.#pointOf(first + index));
  }

  #pointOf(number: number): ActivityPoint {
    const slot = number % this.#shape.slots;
    const calls = this.#stamps[slot] === number ? (this.#calls[slot] ?? 0) : 0;
    const start = new Date(number * this.#shape.stepMs).toISOString();
    if (calls === 0) return { start, calls, failures: 0, mean_ms: null, p50_ms: null, p95_ms: null, max_ms: null };
    const maxUs = this.#maxUs[slot] ?? 0;
    const buckets = this.#buckets.subarray(slot * bucketCount, (slot + 1) * bucketCount);
    const percentileMs = (fraction: number) => Math.min(percentileUs(buckets, calls, fraction), maxUs) / 1000;
    return {
      start,
      calls,
      failures: this.#failures[slot] ?? 0,
      mean_ms: Math.round((this.#sumUs[slot] ?? 0) / calls) / 1000,
      p50_ms: percentileMs(0.5),
      p95_ms: percentileMs(0.95),
      max_ms: maxUs / 1000,
    };
  }
}
