// A counterexample after shrinking, and its text.
import fc from 'fast-check';

export interface Finding {
  /** The fuzzed operation or facade. */
  readonly what: string;
  readonly problem: string;
  /** How to bring it about again by hand. */
  readonly again: string;
  /** How to bring it about again with the same run. */
  readonly seed: string;
}

/** Carries the problem out of a property. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

export interface RunOptions {
  readonly seed: number;
  readonly runs: number;
}

export interface Ran {
  readonly cases: number;
  readonly findings: readonly Finding[];
}

/** How long looking for a smaller case may take. */
const shrinkMs = 20_000;

/** Runs one property, and shrinks the first case that breaks it. */
export async function runProperty<T>(
  what: string,
  cases: fc.Arbitrary<T>,
  problemOf: (one: T) => Promise<string | undefined>,
  again: (one: T) => string,
  { seed, runs }: RunOptions,
): Promise<Ran> {
  let count = 0;
  let brokenAtMs: number | undefined;
  const property = fc.asyncProperty(cases, async (one) => {
    if (brokenAtMs !== undefined && performance.now() - brokenAtMs > shrinkMs) return;
    count += 1;
    const problem = await problemOf(one);
    if (problem === undefined) return;
    brokenAtMs ??= performance.now();
    throw new Broken(problem);
  });
  const details = await fc.check(property, { seed, numRuns: runs });
  if (!details.failed) return { cases: count, findings: [] };
  const [smallest] = details.counterexample ?? [];
  const { errorInstance } = details;
  const problem =
    errorInstance instanceof Broken ? errorInstance.message : String((errorInstance as Error)?.stack ?? errorInstance);
  const finding = {
    what,
    problem,
    again: smallest === undefined ? 'no case was made' : again(smallest as T),
    seed: `${details.seed}, path ${details.counterexamplePath}`,
  };
  return { cases: count, findings: [finding] };
}

export function toText({ what, problem, again, seed }: Finding): string {
  return `${what}: ${problem}\n  seed ${seed}\n  ${again}`;
}
