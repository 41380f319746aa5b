// Whether every value that a new schema accepts was accepted by the old one, as far as that can be proved from the two
// texts. An unproved schema counts as wider: references, alternatives that differ, keywords that are not known here.
import { canonicalize } from '@portico/canonical-json';
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import { schemasIn, withoutWords, words } from './schema-parts.js';

type Schema = JsonValue | undefined;

/** Their meaning depends on other places of the schema. Names and bases (`$id`, `$anchor`) matter to references only. */
const elsewhere = ['$ref', '$dynamicRef', '$recursiveRef', 'unevaluatedProperties', 'unevaluatedItems'];

/** The cost that a comparison may still have, in values that it reads. */
export interface StepBudget {
  left: number;
}

/** Enough for a schema of thousands of keywords; a server chooses how large a schema is. */
export const maxSteps = 10_000;

class OutOfSteps extends Error {}

/**
 * Returns true only where the new schema accepts no value that the old one refused; false if that is not certain.
 * @param before the old schema
 * @param after the new one. A property that only the new one names is wider, also where the old one took any: an argument that was not there before
 * is something new for a model to fill in.
 * @param budget is used up by the comparison; what cannot be proved within it counts as wider
 */
export function isNarrower(before: Schema, after: Schema, budget: StepBudget = { left: maxSteps }): boolean {
  const [old, now] = [withoutWords(before), withoutWords(after)];
  const texts = [old, now].map((schema) => canonicalize(schema ?? true));
  if (texts[0] === texts[1]) return true;
  if (hasElsewhere(old) || hasElsewhere(now)) return false;
  try {
    return implies(now, old, budget);
  } catch (error) {
    if (error instanceof OutOfSteps) return false;
    throw error;
  }
}

function takeStep(budget: StepBudget): void {
  if (budget.left <= 0) throw new OutOfSteps();
  budget.left -= 1;
}

function hasElsewhere(schema: Schema): boolean {
  for (const part of schemasIn(schema)) if (elsewhere.some((keyword) => own(part, keyword))) return true;
  return false;
}

/** Whether what `now` accepts is accepted by `old`. Each keyword of `old` has to follow from `now`. */
function implies(now: Schema, old: Schema, budget: StepBudget): boolean {
  takeStep(budget);
  if (isSame(now, old, budget)) return true;
  if (old === undefined || old === true || now === false) return true;
  if (now === undefined || now === true) return isJsonObject(old) && Object.keys(old).length === 0;
  if (!isJsonObject(now) || !isJsonObject(old)) return false;
  if (now.$schema !== old.$schema) return false;
  const names = new Set([...Object.keys(old), ...Object.keys(now)].filter((keyword) => !words.has(keyword)));
  const done = new Set<Rule>(); // several keywords may share a rule, which looks at all of them
  return [...names].every((keyword) => {
    const rule = rules.get(keyword);
    if (rule === undefined) return isKept(now, old, keyword, budget);
    if (sharedRules.has(rule)) {
      if (done.has(rule)) return true;
      done.add(rule);
    }
    return rule(now, old, keyword, budget);
  });
}

type Rule = (now: JsonObject, old: JsonObject, keyword: string, budget: StepBudget) => boolean;

/** Rule for a keyword that no other rule covers: both schemas have it, with the same value. */
const isKept: Rule = (now, old, keyword, budget) => isSame(memberOf(now, keyword), memberOf(old, keyword), budget);
/** Rule for a keyword that only refuses values: the new schema may add it. */
const isAdded: Rule = (now, old, keyword, budget) =>
  memberOf(old, keyword) === undefined || isKept(now, old, keyword, budget);
const isAtLeast: Rule = (now, old, keyword) => comparesWith(now, old, keyword, (is, was) => is >= was);
const isAtMost: Rule = (now, old, keyword) => comparesWith(now, old, keyword, (is, was) => is <= was);

const type: Rule = (now, old) => {
  if (old.type === undefined) return true;
  const allowed = typesOf(old.type);
  const isAllowed = (name: JsonValue) => allowed.includes(name) || (name === 'integer' && allowed.includes('number'));
  if (now.type !== undefined) return typesOf(now.type).every(isAllowed);
  return literalsOf(now)?.every((literal) => isAllowed(typeOf(literal))) ?? false;
};

const literals: Rule = (now, old) => {
  const listed = literalsOf(old);
  if (listed === undefined) return true;
  const allowed = new Set(listed.map((literal) => canonicalize(literal)));
  return literalsOf(now)?.every((one) => allowed.has(canonicalize(one))) ?? false;
};

const multipleOf: Rule = (now, old) => {
  const [is, was] = [now.multipleOf, old.multipleOf];
  if (was === undefined || is === was) return true;
  return Number.isSafeInteger(is) && Number.isSafeInteger(was) && Number(is) % Number(was) === 0;
};

const required: Rule = (now, old) => {
  if (old.required === undefined) return true;
  const names = new Set(Array.isArray(now.required) ? now.required : []);
  return Array.isArray(old.required) && old.required.every((name) => names.has(name));
};

const uniqueItems: Rule = (now, old) => old.uniqueItems !== true || now.uniqueItems === true;
const propertyNames: Rule = (now, old, _keyword, budget) => implies(now.propertyNames, old.propertyNames, budget);

/** `properties`, `patternProperties` and `additionalProperties` say together what a name may have. */
const properties: Rule = (now, old, _keyword, budget) => {
  const [named, was] = [membersOf(now.properties), membersOf(old.properties)];
  const [patterns, werePatterns] = [membersOf(now.patternProperties), membersOf(old.patternProperties)];
  if (named === undefined || was === undefined || patterns === undefined || werePatterns === undefined) return false;
  if (!isSame(Object.keys(patterns).sort(), Object.keys(werePatterns).sort(), budget)) return false;
  const hasPatterns = Object.keys(patterns).length > 0;
  const rest = (name: string): Schema =>
    own(named, name) ? named[name] : hasPatterns ? true : now.additionalProperties;
  return (
    Object.keys(named).every((name) => own(was, name) || named[name] === false) &&
    Object.keys(was).every((name) => implies(rest(name), was[name], budget)) &&
    Object.keys(patterns).every((pattern) => implies(patterns[pattern], werePatterns[pattern], budget)) &&
    implies(now.additionalProperties, old.additionalProperties, budget)
  );
};

/** The items of a list: compared where each schema is one for all of them, else they have to be the same. */
const items: Rule = (now, old, _keyword, budget) => {
  const isTuple = [now, old].some((schema) => schema.prefixItems !== undefined || Array.isArray(schema.items));
  if (!isTuple) return implies(now.items, old.items, budget) && isKept(now, old, 'additionalItems', budget);
  return ['prefixItems', 'items', 'additionalItems'].every((keyword) => isKept(now, old, keyword, budget));
};

/** They are read together. */
const contains: Rule = (now, old, _keyword, budget) =>
  ['contains', 'minContains', 'maxContains'].every((keyword) => isKept(now, old, keyword, budget));
const condition: Rule = (now, old, _keyword, budget) =>
  ['if', 'then', 'else'].every((keyword) => isKept(now, old, keyword, budget));

/** Rules that look at all of their keywords at once. */
const sharedRules: ReadonlySet<Rule> = new Set([literals, properties, items, contains, condition]);

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['type', type],
  ['enum', literals],
  ['const', literals],
  ['multipleOf', multipleOf],
  ['minimum', isAtLeast],
  ['exclusiveMinimum', isAtLeast],
  ['minLength', isAtLeast],
  ['minItems', isAtLeast],
  ['minProperties', isAtLeast],
  ['maximum', isAtMost],
  ['exclusiveMaximum', isAtMost],
  ['maxLength', isAtMost],
  ['maxItems', isAtMost],
  ['maxProperties', isAtMost],
  ['pattern', isAdded],
  ['format', isAdded],
  ['allOf', isAdded],
  ['anyOf', isAdded],
  ['oneOf', isAdded],
  ['not', isAdded],
  ['required', required],
  ['uniqueItems', uniqueItems],
  ['propertyNames', propertyNames],
  ['properties', properties],
  ['patternProperties', properties],
  ['additionalProperties', properties],
  ['items', items],
  ['prefixItems', items],
  ['additionalItems', items],
  ['contains', contains],
  ['minContains', contains],
  ['maxContains', contains],
  ['if', condition],
  ['then', condition],
  ['else', condition],
]);

function comparesWith(
  now: JsonObject,
  old: JsonObject,
  keyword: string,
  holds: (is: number, was: number) => boolean,
): boolean {
  const [is, was] = [now[keyword], old[keyword]];
  // A boolean is of draft 4, where the keyword changes the meaning of another.
  if (was === undefined) return typeof is === 'number';
  return typeof is === 'number' && typeof was === 'number' && holds(is, was);
}

function typesOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value as string]; // one that is no text is equal to none
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** The only values that a schema accepts, where it lists them. */
function literalsOf(schema: JsonObject): readonly JsonValue[] | undefined {
  const { const: one, enum: several } = schema;
  if (one !== undefined) return Array.isArray(several) && !several.some((value) => isEqual(value, one)) ? [] : [one];
  return Array.isArray(several) ? several : undefined;
}

/** Undefined for what is no object of schemas. */
function membersOf(value: JsonValue | undefined): JsonObject | undefined {
  if (value === undefined) return {};
  return isJsonObject(value) ? value : undefined;
}

const own = (object: JsonObject, name: string) => Object.hasOwn(object, name);

/** Reads an own member only: a server chooses the name, which may be `constructor`. */
const memberOf = (object: JsonObject, name: string): Schema => (own(object, name) ? object[name] : undefined);

function isEqual(a: Schema, b: Schema): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalize(a) === canonicalize(b);
}

/** As `isEqual`, for parts of any size: ends at the first difference, and counts. */
function isSame(a: Schema, b: Schema, budget: StepBudget): boolean {
  if (a === b) return true;
  takeStep(budget);
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((each, at) => isSame(each, b[at], budget));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => own(b, name) && isSame(a[name], b[name], budget))
  );
}
