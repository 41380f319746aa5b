// The bound of an evaluation, in steps: a node of the expression, an element that is visited, some characters that are
// read. Never measures time: the same arguments always give the same result.

/** An evaluation that ended without a value: a missing key, another type, a number that is not exact. */
export class ConditionFailure extends Error {
  override readonly name = 'ConditionFailure';
}

/** The steps are used up. No operator of an expression handles this. */
export class StepsUsedUp extends Error {
  override readonly name = 'StepsUsedUp';
}

export interface Meter {
  left: number;
}

/** Characters of a text that are read for one step. */
const charactersPerStep = 32;
/** A failure that an operator may handle costs as much as it takes to make. */
const stepsPerFailure = 50;
/** A search looks at a text once for this many characters of what is searched for, at worst. */
const charactersPerPass = 128;

/** @throws StepsUsedUp */
export function spend(meter: Meter, steps: number): void {
  meter.left -= steps;
  if (meter.left < 0) throw new StepsUsedUp('the condition takes too many steps on these arguments');
}

/** @throws StepsUsedUp */
export function spendOnText(meter: Meter, characters: number): void {
  spend(meter, characters / charactersPerStep);
}

/** Spends what the search for a text in another costs at worst. @throws StepsUsedUp */
export function spendOnSearch(meter: Meter, characters: number, searched: number): void {
  spendOnText(meter, characters * (1 + searched / charactersPerPass));
}

/** @throws ConditionFailure, StepsUsedUp */
export function fail(meter: Meter, message: string): never {
  spend(meter, stepsPerFailure);
  throw new ConditionFailure(message);
}
