// When the daemon started, as far as its age says. Only computations.

export interface Start {
  /** Age of the daemon in its last answer, whole seconds. */
  readonly uptimeSecs: number;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/**
 * The start by what was known and an answer. An answer that took its time, and one that is read again while the daemon is away, make
 * it seem later, so that the earliest one counts until the age is smaller: another daemon.
 */
export function nextStart(known: Start, uptimeSecs: number, nowMs: number): Start {
  const atMs = nowMs - (uptimeSecs + 1) * 1000; // the age is rounded down
  const isEarlier = atMs < known.atMs - 1000; // by less it is the rounding, and the text would be another one
  return { uptimeSecs, atMs: uptimeSecs < known.uptimeSecs || isEarlier ? atMs : known.atMs };
}
