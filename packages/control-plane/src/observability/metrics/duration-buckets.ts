// Durations in buckets, so that percentiles of any number of calls take fixed memory. Each power of two from 64 µs on has
// eight buckets, and what is shorter has buckets of 8 µs: a log-linear histogram, as HdrHistogram has it.

const perOctave = 8;
/** 2 to this power of microseconds are the first duration that has an octave. */
const firstOctave = 6;

/** Durations are below 2^31 µs. */
export const bucketCount = (31 - firstOctave + 1) * perOctave;

/** @param us whole microseconds, 0 to 2^31 - 1 */
export function bucketOf(us: number): number {
  if (us < 1 << firstOctave) return us >>> 3;
  const octave = 31 - Math.clz32(us);
  return (octave - firstOctave + 1) * perOctave + ((us >>> (octave - 3)) & 7);
}

/**
 * The middle of the bucket that holds a percentile (nearest rank): at most 6.25 % from it, or 4 µs below 64 µs.
 * @param buckets how many durations each bucket holds
 * @param count how many all of them hold, from 1
 * @param fraction above 0, up to 1
 */
export function percentileUs(buckets: Uint32Array, count: number, fraction: number): number {
  const rank = Math.ceil(fraction * count);
  let seen = 0;
  const bucket = buckets.findIndex((calls) => {
    seen += calls;
    return seen >= rank;
  });
  return middleOf(bucket);
}

function middleOf(bucket: number): number {
  if (bucket < perOctave) return bucket * 8 + 4;
  const width = 2 ** (Math.floor(bucket / perOctave) - 1 + firstOctave - 3);
  return (perOctave + (bucket % perOctave) + 0.5) * width;
}
