// Keeps the best few of many: score first, then id, so that equal scores have one order everywhere.
// Never asks about a candidate that would not make it, because visibility can be expensive.

/** An item with its id and score. */
export interface Candidate<T> {
  readonly id: string;
  readonly score: number;
  readonly item: T;
}

export interface TopHits<T> {
  /** A candidate with a lower score has no place, independent of its id. */
  leastScore(): number;
  /** Takes the item if it is among the best so far and allowed. */
  offer(id: string, score: number, item: T): void;
  /** The best, best first. */
  list(): readonly Candidate<T>[];
}

/** The share of its score by which the candidate at this place leads the next: 1 where there is none after it. */
export function leadOf(list: readonly Candidate<unknown>[], at: number): number {
  const [score = 0, next = 0] = [list[at]?.score, list[at + 1]?.score];
  return score > 0 ? 1 - next / score : 0;
}

/** Room for `limit` items that `isAllowed` agrees to; fewer than one means none. */
export function createTopHits<T>(limit: number, isAllowed: (item: T) => boolean): TopHits<T> {
  const best: Candidate<T>[] = [];
  return {
    leastScore: () =>
      best.length < limit ? Number.NEGATIVE_INFINITY : (best.at(-1)?.score ?? Number.POSITIVE_INFINITY),
    offer(id, score, item) {
      const last = best.at(-1);
      const isFull = best.length >= limit;
      if (isFull && (last === undefined || !isBetter(id, score, last))) return;
      if (!isAllowed(item)) return;
      best.splice(placeOf(best, id, score), 0, { id, score, item });
      if (best.length > limit) best.pop();
    },
    list: () => best,
  };
}

function isBetter<T>(id: string, score: number, than: Candidate<T>): boolean {
  return score > than.score || (score === than.score && id < than.id);
}

function placeOf<T>(best: readonly Candidate<T>[], id: string, score: number): number {
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // `middle` is below `high`, which is at most the length.
    if (isBetter(id, score, best[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
