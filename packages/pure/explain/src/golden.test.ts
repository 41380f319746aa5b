import { readFileSync } from 'node:fs';
import { callSteps, type Explanation, errorCodes } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { causes } from './causes.js';
import { explain } from './explain.js';
import { evidenceOf, fixtures, inForce } from './testing/fixtures.js';

/** As texts that a person reads: `portico explain` without ids. */
function toLines({ outcome, cause, summary, steps, counterfactuals, missing }: Explanation): string[] {
  return [
    `${outcome} ${cause}: ${summary}`,
    ...steps
      .filter(({ verdict }) => verdict !== 'not_reached')
      .map(({ step, verdict, took_us, evidence }) =>
        [step, verdict, ...evidence.map((id) => `#${Number(id.slice(4))}`), took_us]
          .filter((each) => each !== undefined)
          .join(' '),
      ),
    ...counterfactuals.map(({ change, effect, how, as_of }) => `if ${as_of}: ${change}: ${effect} (${how})`),
    ...missing.map((each) => `missing: ${each}`),
  ];
}

const golden: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(new URL('./testing/golden.json', import.meta.url), 'utf8'),
);
const all = Object.entries(fixtures).map(
  ([name, records]) => [name, explain(evidenceOf(records, { now: inForce }))] as const,
);

describe('an explanation', () => {
  it.each(all)('of %s reads as it did', (name, explanation) => {
    expect(toLines(explanation)).toEqual(golden[name]);
  });

  it('is fixed for as many ways to end as there are, and for no others', () => {
    expect(Object.keys(golden)).toEqual(Object.keys(fixtures));
    expect(all.length).toBeGreaterThanOrEqual(40);
  });

  it.each(errorCodes)('is fixed for %s', (code) => {
    expect(all.some(([name]) => name.startsWith(code))).toBe(true);
  });

  it('is shown for every cause', () => {
    expect(new Set(all.map(([, { cause }]) => cause))).toEqual(new Set(causes));
  });

  it('is fixed for each step that may end a call', () => {
    const ends = all.map(([, { steps }]) => steps.findLast(({ evidence }) => evidence.length > 0)?.step);
    const ending = callSteps.filter((step) => step !== 'classify'); // which says only what later steps do
    expect(ending.filter((step) => !ends.includes(step))).toEqual([]);
  });

  it.each(all)('of %s ends at the step that its name says', (name, { steps }) => {
    const at = / at (\w+(?: turn)?)/.exec(name)?.[1]?.replace(' ', '_');
    const deciding = steps.findLast(({ evidence }) => evidence.length > 0)?.step;
    if (at !== undefined) expect(deciding).toBe(at);
    if (steps.length > 0) expect(steps.map(({ step }) => step)).toEqual(callSteps);
  });
});
