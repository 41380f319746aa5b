// The patterns of match() and search(): RE2, which takes linear time for every pattern and text. Never uses the
// engine's own RegExp, which some patterns keep busy without limit.
import { RE2JS } from 're2js';
import { LimitExceeded } from '../limit-exceeded.js';
import type { Budget } from './budget.js';

export interface Patterns {
  /** Whether the whole text matches. */
  isMatch(text: string, pattern: string): boolean;
  /** Whether a part of the text matches. */
  isFound(text: string, pattern: string): boolean;
}

/** In UTF-16 units. */
const maxPatternLength = 1_000;

/** Work of a match in one step: instructions of the pattern times characters. A plain text is found much faster. */
const instructionsPerStep = 3;
const plainInstructionsPerStep = 64;
/** Steps that an instruction costs when compiling. */
const stepsPerInstruction = 60;

interface Pattern {
  readonly regexp: RE2JS;
  readonly stepsPerCharacter: number;
}

/** A pattern is compiled once; what is no pattern matches nothing (RFC 9535, section 2.4.6). */
export function createPatterns(budget: Budget): Patterns {
  const compiled = new Map<string, Pattern | undefined>();
  return {
    isMatch: (text, pattern) => prepare(text, pattern)?.testExact(text) ?? false,
    isFound: (text, pattern) => prepare(text, pattern)?.test(text) ?? false,
  };

  function prepare(text: string, source: string): RE2JS | undefined {
    const pattern = compiled.has(source) ? compiled.get(source) : compile(source);
    if (pattern !== undefined) budget.spend(text.length * pattern.stepsPerCharacter);
    return pattern?.regexp;
  }

  function compile(source: string): Pattern | undefined {
    if (source.length > maxPatternLength) {
      throw new LimitExceeded(`has a pattern of more than ${maxPatternLength} characters (a fixed limit)`);
    }
    const pattern = tryCompile(source);
    compiled.set(source, pattern);
    budget.spend(source.length + (pattern?.regexp.programSize() ?? 0) * stepsPerInstruction);
    return pattern;
  }
}

function tryCompile(source: string): Pattern | undefined {
  try {
    const regexp = RE2JS.compile(toRe2(source));
    const isPlain = !/[\\^$.|?*+()[\]{}]/.test(source);
    const perStep = isPlain ? plainInstructionsPerStep : instructionsPerStep;
    return { regexp, stepsPerCharacter: regexp.programSize() / perStep };
  } catch {
    return undefined;
  }
}

/** RFC 9485, section 5.3: a dot outside a character class is any character but a line feed or a carriage return. */
function toRe2(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gsu, (part) => (part === '.' ? '[^\\n\\r]' : part));
}
