// Medians, percentiles and spreads of what was measured.

export function percentile(values: ArrayLike<number>, fraction: number): number {
  const sorted = Float64Array.from(values).sort();
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * fraction));
  return sorted[index] ?? Number.NaN;
}

export const median = (values: ArrayLike<number>): number => percentile(values, 0.5);

/** `12.3 (11.9 to 13.0)`: the median of several rounds, with the least and the most; a single one stands alone. */
export function withSpread(values: readonly number[], digits = 0): string {
  if (values.length === 1) return median(values).toFixed(digits);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

/** Each of `values` by what was measured beside it in the same round. */
export function ratios(values: readonly number[], beside: readonly number[]): number[] {
  return values.map((value, round) => value / (beside[round] ?? Number.NaN));
}

/** By how much, in percent, the last quarter of samples lies above the quarter before it: the last half of a long run. */
export function growthOverLastHalf(samples: readonly number[]): number {
  const quarter = Math.floor(samples.length / 4);
  const [before, after] = [samples.slice(-2 * quarter, -quarter), samples.slice(-quarter)];
  return (median(after) / median(before) - 1) * 100;
}
