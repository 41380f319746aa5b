// Intervals of means, by samples with replacement: the same in every run.

const RESAMPLES = 1_000;

/** The 2.5th and 97.5th percentiles of the mean over samples with replacement; zeros for no values. */
export function bootstrap(values: readonly number[]): readonly [number, number] {
  if (values.length === 0) return [0, 0];
  const random = createRandom(23);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let at = 0; at < values.length; at += 1) sum += values[Math.floor(random() * values.length)] ?? 0;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return [means[Math.floor(0.025 * RESAMPLES)] ?? 0, means[Math.floor(0.975 * RESAMPLES)] ?? 0];
}

/** Numerical Recipes' linear congruential generator. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
