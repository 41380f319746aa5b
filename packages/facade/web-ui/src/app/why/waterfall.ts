// Where in a call each of its steps was, as far as they have a duration. Only computations.

export interface StepBar {
  /** Per cent of the call. */
  readonly start: number;
  readonly width: number;
}

/** So that a short step is seen. */
const narrowest = 1;

/** One bar for each step, one after the other; undefined for a step without a duration. */
export function toBars(steps: readonly { readonly took_us?: number | undefined }[]): readonly (StepBar | undefined)[] {
  const total = steps.reduce((sum, { took_us: took = 0 }) => sum + took, 0);
  let before = 0;
  return steps.map(({ took_us: took }) => {
    if (took === undefined || total === 0) return undefined;
    const width = Math.max(narrowest, (took / total) * 100);
    const start = Math.min((before / total) * 100, 100 - width);
    before += took;
    return { start, width };
  });
}
