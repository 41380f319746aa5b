// Medians, percentiles and spreads of what was measured.

export function percentile(values: ArrayLike<number>, fraction: number): number {
  const sorted = Float64Array.from(values).sort();
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * fraction));
  return sorted[index] ?? Number.NaN;
}

export const median = (values: ArrayLike<number>): number => percentile(values, 0.5);

/** `12.3 (11.9 to 13.0)`: the median of several rounds, with the least and the most. */
export function withSpread(values: readonly number[], digits = 0): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}
