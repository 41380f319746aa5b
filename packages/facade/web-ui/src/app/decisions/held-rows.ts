// A list of decisions that keeps its places: which rows it shows while it is held, and whether a click may decide. Only
// computations.

export interface HeldRow<T> {
  readonly item: T;
  /** It has left the list; its place is kept until the list is released. */
  readonly isGone: boolean;
}

/**
 * Held rows keep their order; new ones come last.
 * @param held keys and items as they were shown last, undefined while the list is not held
 */
export function holdRows<T extends { readonly key: string }>(
  held: readonly T[] | undefined,
  current: readonly T[],
): readonly HeldRow<T>[] {
  if (held === undefined) return current.map((item) => ({ item, isGone: false }));
  const now = new Map(current.map((item) => [item.key, item]));
  const known = new Set(held.map(({ key }) => key));
  return [
    ...held.map((item) => ({ item: now.get(item.key) ?? item, isGone: !now.has(item.key) })),
    ...current.filter(({ key }) => !known.has(key)).map((item) => ({ item, isGone: false })),
  ];
}

/** Where the rows were at a time. */
export interface RowPositions<Row> {
  /** Milliseconds, from the same clock for all. */
  readonly atMs: number;
  /** Top and bottom in the document, pixels. */
  readonly rows: readonly { readonly row: Row; readonly top: number; readonly bottom: number }[];
}

/** Within this time a person may still press what was there before, milliseconds. */
export const settleMs = 500;

/** The places that a click is compared with: those within the time, and the last one before. */
export function keepPositions<Row>(
  before: readonly RowPositions<Row>[],
  next: RowPositions<Row>,
): readonly RowPositions<Row>[] {
  return [...before.filter(({ atMs }) => next.atMs - atMs <= settleMs), next];
}

export interface Press<Row> {
  readonly row: Row;
  /** In the document, pixels. */
  readonly y: number;
  readonly atMs: number;
  /** Presses in a row at this place; 0 for a key. */
  readonly count: number;
}

/** A key acts on the row with the focus. A second press, and one where another row just was, decide nothing. */
export function mayDecide<Row>({ row, y, atMs, count }: Press<Row>, kept: readonly RowPositions<Row>[]): boolean {
  if (count === 0) return true;
  if (count > 1) return false;
  const recent = kept.filter((places, at) => at === kept.length - 1 || atMs - places.atMs <= settleMs);
  return !recent.some(({ rows }) => rows.some((other) => other.row !== row && other.top <= y && y < other.bottom));
}
