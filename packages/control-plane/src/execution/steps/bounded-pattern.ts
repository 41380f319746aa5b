// The patterns of input schemas: RE2, whose time is bounded by the size of the program and the length of the text.
// Never uses the engine's own RegExp, which a pattern can keep busy without limit.
import { RE2JS } from 're2js';
import { toRe2 } from './ecma-pattern.js';
import type { ValidationBudget } from './validation-budget.js';

/** Program size times text length that a pattern may cost; RE2 takes time by both. Measured at the limit: 0.03 to 0.05 s. */
const maxPatternCost = 2_000_000;
/** Instructions times characters that are bought by one step, with a table of states and without. */
const instructionsPerStep = 3;
const instructionsPerStepWithoutTable = 1;
/**
 * RE2 builds no table of states for larger programs: a state costs as much as the program, and a text may need one for
 * each character.
 */
const maxTableSize = 50;
/** Steps of each test of a text, beside those for its length. */
const stepsPerText = 10;
/** Instructions that the patterns of one schema may come to: a thousand take a millisecond to compile. */
const maxProgramSize = 20_000;
/** In UTF-16 units; parsing takes time by them. */
const maxPatternLength = 4_000;

/** Patterns that RE2 does not support, or that would take too long, are not checked. For one schema. */
export function boundedRegExp(onSkipped: (reason: string) => void, budget: ValidationBudget) {
  let programSize = 0;
  const engine = (pattern: string) => {
    const print = () => pattern; // Ajv takes patterns that print alike for one
    const skip = (why: string) => {
      onSkipped(`pattern ${JSON.stringify(pattern.slice(0, 200))} is not checked: ${why}`);
      return true;
    };
    const skipped = (why: string) => {
      skip(why);
      return { test: () => true, toString: print };
    };
    if (pattern.length > maxPatternLength)
      return skipped(`it is longer than ${maxPatternLength} characters (a fixed limit)`);
    if (programSize > maxProgramSize)
      return skipped('the patterns of its schema are too large together (a fixed limit)');
    const compiled = tryCompile(pattern);
    if (compiled === undefined) return skipped('it does not run in linear time');
    const size = compiled.programSize();
    programSize += size;
    const hasTable = size <= maxTableSize;
    const perStep = hasTable ? instructionsPerStep : instructionsPerStepWithoutTable;
    const test = (text: string) => {
      if (size * text.length > maxPatternCost) return skip('it costs too much on this text (a fixed limit)');
      budget.spend(stepsPerText + (size * text.length) / perStep);
      return hasTable ? compiled.test(text) : compiled.matcher(text).find();
    };
    return { test, toString: print };
  };
  return Object.assign(engine, { code: 'boundedRegExp' });
}

function tryCompile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(toRe2(pattern));
  } catch {
    return undefined;
  }
}
