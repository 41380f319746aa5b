// The functions of conditions: those of the Common Expression Language that take time by the size of what they read.
import { type JsonObject, nearOnes } from '@portico/contracts';
import { RE2JS } from 're2js';
import { fail, type Meter, spend, spendOnSearch, spendOnText } from './meter.js';
import { ConditionProblem } from './problem.js';
import { typeOf, type Value, type ValueType } from './values.js';

export interface ConditionFunction {
  /** Types of the receiver, if it has one, and of the arguments; several for overloads. */
  readonly takes: readonly (readonly ValueType[])[];
  readonly gives: ValueType;
  /** @throws ConditionFailure, StepsUsedUp */
  readonly run: (meter: Meter, values: readonly Value[]) => Value;
}

/** A function of texts; its parameters were checked. */
const ofTexts = (
  gives: ValueType,
  run: (meter: Meter, text: string, other: string) => Value,
  count = 2,
): ConditionFunction => ({
  takes: Array.from({ length: count }, () => ['string'] as const),
  gives,
  run: (meter, [text, other]) => run(meter, text as string, other as string), // checked
});

/** Called on a value: `args.repo.startsWith("acme/")`. */
export const methods: Readonly<Record<string, ConditionFunction>> = {
  startsWith: ofTexts('bool', (meter, text, other) => {
    spendOnText(meter, other.length);
    return text.startsWith(other);
  }),
  endsWith: ofTexts('bool', (meter, text, other) => {
    spendOnText(meter, other.length);
    return text.endsWith(other);
  }),
  contains: ofTexts('bool', (meter, text, other) => {
    spendOnSearch(meter, text.length, other.length);
    return text.includes(other);
  }),
  lowerAscii: ofTexts(
    'string',
    (meter, text) => {
      spendOnText(meter, 8 * text.length);
      return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    },
    1,
  ),
  upperAscii: ofTexts(
    'string',
    (meter, text) => {
      spendOnText(meter, 8 * text.length);
      return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
    },
    1,
  ),
  trim: ofTexts(
    'string',
    (meter, text) => {
      spendOnText(meter, text.length);
      return text.trim();
    },
    1,
  ),
  size: { takes: [['string', 'list', 'map']], gives: 'number', run: sizeOf },
};

/** Called with values: `size(args.paths)`. */
export const functions: Readonly<Record<string, ConditionFunction>> = {
  size: { takes: [['string', 'list', 'map']], gives: 'number', run: sizeOf },
  string: {
    takes: [['string', 'number', 'bool']],
    gives: 'string',
    run: (_meter, [value]) => (typeof value === 'string' ? value : String(value)),
  },
  double: { takes: [['string', 'number']], gives: 'number', run: toNumber },
};

/** Macros, which evaluate an expression for each item of a list or each key of a map. */
export const macros = ['all', 'exists', 'exists_one', 'filter', 'map'] as const;
export type Macro = (typeof macros)[number];

/** Characters of a text are code points. */
function sizeOf(meter: Meter, [value]: readonly Value[]): Value {
  if (typeof value === 'string') {
    spendOnText(meter, value.length);
    let pairs = 0;
    for (let at = 0; at < value.length - 1; at += 1) if ((value.codePointAt(at) ?? 0) > 0xffff) pairs += 1;
    return value.length - pairs;
  }
  if (Array.isArray(value)) return value.length;
  const keys = Object.keys(value as JsonObject); // checked
  spend(meter, keys.length);
  return keys.length;
}

const decimal = /^[+-]?\d{1,15}(?:\.\d{1,15})?$/;

/** Only what other programs read in the same way. */
function toNumber(meter: Meter, [value]: readonly Value[]): Value {
  if (typeof value === 'number') return value;
  const text = String(value);
  return decimal.test(text) ? Number(text) : fail(meter, 'a text is no plain decimal number');
}

/** Beyond this size RE2 builds no table of states, and takes three times as long for each character. */
const maxTableSize = 50;
const maxProgramSize = 1000;

/**
 * A pattern in the syntax of RE2, which takes time by its size and the length of the text. It matches any part of the text.
 * @param offset of the pattern, for the problem @throws ConditionProblem
 */
export function matcherFor(pattern: string, offset: number): (meter: Meter, text: string) => boolean {
  const compiled = compilePattern(pattern, offset);
  const size = compiled.programSize();
  if (size > maxProgramSize) throw new ConditionProblem('the pattern is too large', offset);
  const hasTable = size <= maxTableSize;
  return (meter, text) => {
    spend(meter, 10 + (size * text.length) / (hasTable ? 3 : 1));
    return hasTable ? compiled.test(text) : compiled.matcher(text).find();
  };
}

function compilePattern(pattern: string, offset: number): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConditionProblem(`the pattern is not one of RE2: ${why}`, offset);
  }
}

/** @throws ConditionFailure if a value has another type */
export function checkTypes(meter: Meter, name: string, { takes }: ConditionFunction, values: readonly Value[]): void {
  values.forEach((value, at) => {
    const accepted = takes[at] ?? [];
    if (!accepted.includes(typeOf(value)))
      fail(meter, `${name} takes a ${accepted.join(' or a ')}, not a ${typeOf(value)}`);
  });
}

/** @throws ConditionProblem always */
export function failUnknown(name: string, hasReceiver: boolean, offset: number): never {
  const known = [
    ...Object.keys(hasReceiver ? methods : functions),
    ...(hasReceiver ? ['matches', ...macros] : ['has']),
  ];
  const near = nearOnes(name, known);
  const meant = near.length === 0 ? `; there are ${known.join(', ')}` : `; did you mean ${near.join(' or ')}?`;
  throw new ConditionProblem(`there is no function "${name}"${meant}`, offset);
}
