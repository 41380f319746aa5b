// Has the code that Ajv makes of a schema count what it does, so that no schema can take more than its budget: every
// subschema that is entered, and the items, names and characters that it goes through. It adds a subtraction to each.
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import { _, type Ajv, type Code, type KeywordCxt, Name } from 'ajv';
import type { ValidationBudget } from './validation-budget.js';

/** The cost of subschemas with one of these is not included in the cost of the schema around them. */
const countedKeywords = [
  ...[
    '$ref',
    '$dynamicRef',
    '$recursiveRef',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'if',
    'dependentSchemas',
    'dependencies',
  ],
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'contains', 'uniqueItems', 'unevaluatedItems'],
  ...['enum', 'const', 'required', 'dependentRequired', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
];
const referenceKeywords = ['$ref', '$dynamicRef', '$recursiveRef'];
/** Keywords that check each item, each name, or each character. */
const itemKeywords = ['items', 'additionalItems', 'unevaluatedItems'];
const nameKeywords = [
  'additionalProperties',
  'propertyNames',
  'unevaluatedProperties',
  'minProperties',
  'maxProperties',
];
const textKeywords = ['minLength', 'maxLength'];
/** Passing a name. Objects with many are tables to the engine, which passes them more slowly. */
const nameSteps = 4;
const manyNames = 1000;
const stepsOfManyNames = 4 * nameSteps;
/** A pattern for names notes each that it has found, for `unevaluatedProperties`: as much as two keywords. */
const patternSteps = 2;
/** `contains` goes on after an item that fails, and an error is made of each. */
const failedItemSteps = 4;
/** Characters that are looked at for one step. */
const charactersPerStep = 8;
/** Members that looking at an object or a list, to compare it, counts for. */
const comparedMembers = 24;
/** Errors of branches that failed, which are copied where a reference ends, for one step. */
const errorsPerStep = 1;
/**
 * A branch, which creates an error if it fails. The branches of `oneOf` are all tried, and keep their errors until the
 * last.
 */
const branchSteps = 4;
const oneOfSteps = 2 * branchSteps;
/** Members of a schema that are passed for one step. */
const membersPerStep = 4;

/** Any of these can have a check go over the same value, or over the same part of the schema, more than once. */
const repeating =
  /"(?:\$ref|\$dynamicRef|\$recursiveRef|allOf|anyOf|oneOf|not|if|depend\w+|items|prefixItems|additionalItems|contains|uniqueItems|unevaluated\w+|pattern|patternProperties|propertyNames|enum|const)":|"additionalProperties":\{/;

/** Whether steps need to be counted: a schema of nothing but nested `properties` passes its arguments once. */
export function mayRepeat(schema: JsonObject): boolean {
  return repeating.test(JSON.stringify(schema));
}

const keyword = 'porticoSteps';

/** @param ajv with all of its keywords: a schema need not name this one for it to be in force */
export function countSteps(ajv: Ajv, budget: ValidationBudget): void {
  ajv.addKeyword({ keyword, code: (context) => writeCount(context, budget) });
  const group = ajv.RULES.rules.find(({ type }) => type === undefined);
  const rule = group?.rules.find((each) => each.keyword === keyword);
  if (group === undefined || rule === undefined)
    throw new Error('the keywords of Ajv cannot be counted: this version of it is not supported');
  rule.definition.implements = countedKeywords; // in force wherever one of them is
  group.rules = [rule, ...group.rules.filter((each) => each !== rule)]; // before any of them does anything
}

function writeCount(context: KeywordCxt, budget: ValidationBudget): void {
  const { gen, data, parentSchema } = context;
  const left = _`${gen.scopeValue('obj', { ref: budget })}.left`;
  const schema = parentSchema as JsonObject; // booleans have no keywords
  gen.code(_`${left} -= ${ownSteps(schema)}`);
  if (howMany(schema, referenceKeywords) > 0) writeErrors(context, left);
  const items = howMany(schema, itemKeywords) + (schema.contains === undefined ? 0 : failedItemSteps);
  if (items > 0) gen.if(_`Array.isArray(${data})`, () => gen.code(_`${left} -= ${data}.length * ${items}`));
  const names = howMany(schema, nameKeywords) + patternSteps * membersOf(schema.patternProperties);
  if (names > 0) gen.if(isObject(data), () => writeNames(context, left, names));
  const texts = howMany(schema, textKeywords);
  if (texts > 0) {
    const isText = _`typeof ${data} == "string"`;
    gen.if(isText, () => gen.code(_`${left} -= ${data}.length * ${texts / charactersPerStep}`));
  }
  gen.if(_`${left} < 0`, () => gen.code(_`${gen.scopeValue('obj', { ref: budget })}.exceed()`));
}

/** Ajv copies the errors so far when a reference ends. */
function writeErrors({ gen }: KeywordCxt, left: Code): void {
  const errors = new Name('vErrors'); // Ajv's name for those of the function that it writes
  gen.if(_`${errors} !== null`, () => gen.code(_`${left} -= ${errors}.length / ${errorsPerStep}`));
}

/** @param keywords how many look at each name */
function writeNames({ gen, data }: KeywordCxt, left: Code, keywords: number): void {
  const names = gen.const('names', _`Object.keys(${data}).length`);
  const each = _`(${names} > ${manyNames} ? ${stepsOfManyNames} : ${nameSteps})`;
  gen.code(_`${left} -= ${names} * ${each} * ${keywords}`);
}

const isObject = (data: Code) => _`${data} && typeof ${data} == "object" && !Array.isArray(${data})`;

const howMany = (schema: JsonObject, keywords: readonly string[]): number =>
  keywords.filter((each) => schema[each] !== undefined && schema[each] !== true).length;

function membersOf(value: JsonValue | undefined): number {
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

/** Entering the schema, passing its members, and comparing with the values that it lists. */
function ownSteps(schema: JsonObject): number {
  const members = Object.values(schema).reduce<number>((sum, value) => sum + membersOf(value), 0);
  return (
    1 +
    branchSteps * membersOf(schema.anyOf) +
    oneOfSteps * membersOf(schema.oneOf) +
    Math.floor((members + sizeOf(schema.enum) + sizeOf(schema.const)) / membersPerStep)
  );
}

/** The cost of comparing with a value, without recursion: a schema may nest as deep as its text. */
function sizeOf(value: JsonValue | undefined): number {
  let count = 0;
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    count += typeof next === 'object' ? comparedMembers : 1;
    if (Array.isArray(next)) for (const item of next) pending.push(item);
    else if (isJsonObject(next)) for (const member of Object.values(next)) pending.push(member);
  }
  return count;
}
