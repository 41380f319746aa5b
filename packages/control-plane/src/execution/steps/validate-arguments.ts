// Checks arguments against a tool's own JSON Schema. Schemas come from upstreams, so nothing in one may hang or stop us.
import { type Issue, isJsonObject, type JsonObject, joinPath } from '@portico/contracts';
import { Ajv, type AnySchemaObject, type ErrorObject, type Options, str, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { comparableText } from '../../common/comparable-text.js';
import { inStage, type Stages } from '../../common/stage.js';
import { boundedRegExp } from './bounded-pattern.js';
import { type Coerced, coerceArguments } from './coerce-arguments.js';
import { countSteps, mayRepeat } from './count-steps.js';
import { isMultipleOf } from './decimal-multiple.js';
import { schemaCost } from './schema-cost.js';
import { createValidationBudget, OverBudget, type ValidationBudget } from './validation-budget.js';

/**
 * The first problem of the arguments, or undefined if there is none.
 * @param capability id of the tool, named to the watchdog where the check may take long
 */
export type CheckArguments = (args: JsonObject, capability: string) => Issue | undefined;

export interface ArgumentValidator {
  /** Whether the next check with it may take long: not for plain schemas, once they are compiled. */
  mayTakeLong(schema: JsonObject): boolean;
  /**
   * Compiled once per schema object. A schema that cannot be compiled accepts everything and is reported once.
   * @param capability id of the tool, named to the watchdog while it is compiled
   */
  checkFor(schema: JsonObject, capability: string): CheckArguments;
  /** The arguments in the types of the schema, which `checkFor` has refused; undefined if that does not help. */
  coerce(schema: JsonObject, capability: string, args: JsonObject): Coerced | undefined;
}

interface Compiled {
  readonly check: CheckArguments;
  readonly coerce: (args: JsonObject, capability: string) => Coerced | undefined;
  /** Whether its steps are counted. */
  readonly isCounted: boolean;
}

/** Schemas that cost more are not compiled: compiling would block all other calls. 527 public tools cost at most 69. */
const maxCost = 1000;

interface Compiling extends Pick<ValidatorDeps, 'stages'> {
  readonly budget: ValidationBudget;
  readonly onSkipped: (reason: string) => void;
}

export interface ValidatorDeps {
  /** Called with the reason why the schema of a capability, or a pattern in it, is not checked. */
  readonly onSkipped: (reason: string, capability: string) => void;
  /** How much the check of one call may cost: `limits.validationSteps`. */
  readonly maxSteps: () => number;
  readonly stages: Stages;
}

export function createArgumentValidator({ maxSteps, onSkipped, stages }: ValidatorDeps): ArgumentValidator {
  const compiled = new WeakMap<JsonObject, Compiled>();
  const budget = createValidationBudget(maxSteps);
  const compiledOf = (schema: JsonObject, capability: string): Compiled => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const on: Compiling = { stages, budget, onSkipped: (reason) => onSkipped(reason, capability) };
    const made = inStage(stages, 'compiling the input schema', capability, () => compile(schema, on));
    compiled.set(schema, made);
    return made;
  };
  return {
    mayTakeLong: (schema) => compiled.get(schema)?.isCounted !== false,
    checkFor: (schema, capability) => (compiled.get(schema) ?? compiledOf(schema, capability)).check,
    coerce: (schema, capability, args) => compiledOf(schema, capability).coerce(args, capability),
  };
}

function compile(schema: JsonObject, on: Compiling): Compiled {
  try {
    // `$async` is Ajv's own: with it a check would be a promise, whose rejection would be unhandled.
    const { $schema: dialect, $async: _, ...rest } = schema;
    if (schemaCost(schema, maxCost) > maxCost)
      throw new Error(`it has more than ${maxCost} subschemas (a fixed limit)`);
    const isCounted = mayRepeat(schema);
    const ajv = createAjv(dialect, on);
    if (isCounted) countSteps(ajv, on.budget);
    const validate = ajv.compile(rest as AnySchemaObject); // a JSON Schema is any JSON object
    const check = checkBy(validate, schema, on);
    const errorsIn = (args: JsonObject) => (check(args) === undefined ? undefined : (validate.errors ?? []));
    const coerce = (args: JsonObject) => coerceArguments(errorsIn, args);
    return isCounted
      ? { check: counted(check, on), coerce: counted(coerce, on), isCounted }
      : { check, coerce, isCounted };
  } catch (error) {
    skip(on, error);
    return { check: () => undefined, coerce: () => undefined, isCounted: false };
  }
}

function counted<T>(work: (args: JsonObject) => T, { stages, budget }: Compiling) {
  return (args: JsonObject, capability: string): T => {
    budget.begin();
    return inStage(stages, 'checking arguments', capability, () => work(args));
  };
}

function checkBy(
  validate: ValidateFunction,
  schema: JsonObject,
  on: Compiling,
): (args: JsonObject) => Issue | undefined {
  let isSkipped = false;
  return (args) => {
    if (isSkipped) return undefined;
    try {
      if (validate(args)) return undefined;
      const issue = toIssue(validate);
      const given = withoutOptionalNulls(schema, args);
      return given !== undefined && validate(given) ? undefined : issue;
    } catch (error) {
      if (error instanceof OverBudget) return overBudgetIssue(error);
      skip(on, error); // it refers to itself without end
      isSkipped = true;
      return undefined;
    }
  };
}

function skip({ onSkipped }: Compiling, error: unknown): void {
  onSkipped(`input schema is not checked: ${error instanceof Error ? error.message : String(error)}`);
}

function overBudgetIssue({ maxSteps }: OverBudget): Issue {
  const reason = `cannot be checked against the input schema of this tool in ${maxSteps} steps (limits.validationSteps)`;
  return { path: 'args', message: `${reason}; send fewer or less deeply nested values, or raise the limit` };
}

/**
 * Models write null for what they leave out, and servers take it so: where the schema names an argument that it does not
 * require, null is checked as if it were absent. It is passed on as it is. Undefined if there is no such null.
 */
function withoutOptionalNulls({ properties, required }: JsonObject, args: JsonObject): JsonObject | undefined {
  if (!Object.values(args).includes(null)) return undefined;
  const isOptional = (name: string) =>
    isJsonObject(properties) &&
    Object.hasOwn(properties, name) &&
    !(Array.isArray(required) && required.includes(name));
  const given = Object.entries(args).filter(([name, value]) => value !== null || !isOptional(name));
  return given.length === Object.keys(args).length ? undefined : Object.fromEntries(given);
}

/** MCP takes JSON Schema 2020-12 where `$schema` names nothing else. */
function createAjv(dialect: unknown, { onSkipped, budget }: Compiling): Ajv {
  const options: Options = {
    strict: false,
    validateFormats: false,
    logger: false,
    addUsedSchema: false,
    ownProperties: true, // an argument may be called `constructor`
    // Schemas are many and each is compiled alone: what only pays for one that is used a million times is left out.
    meta: false,
    validateSchema: false,
    code: { optimize: false, regExp: boundedRegExp(onSkipped, budget) },
  };
  return withLinearUniqueItems(withDecimalMultiples(createDialect(dialect, options)), budget);
}

function createDialect(dialect: unknown, options: Options): Ajv {
  if (dialect === undefined) return new Ajv2020(options);
  const name = typeof dialect === 'string' ? dialect.replace(/^https?:\/\/json-schema\.org\/|#$/g, '') : '';
  if (name === 'draft/2020-12/schema') return new Ajv2020(options);
  if (name === 'draft/2019-09/schema') return new Ajv2019(options);
  if (name === 'draft-07/schema' || name === 'draft-06/schema') return new Ajv(options);
  throw new Error(`unknown dialect ${JSON.stringify(dialect)}`);
}

function withDecimalMultiples(ajv: Ajv): Ajv {
  ajv.removeKeyword('multipleOf');
  return ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
    validate: (divisor: number, value: number) => isMultipleOf(value, divisor),
  });
}

/** Ajv compares every item with every other; canonical texts in a set say the same in one pass. */
function withLinearUniqueItems(ajv: Ajv, budget: ValidationBudget): Ajv {
  ajv.removeKeyword('uniqueItems');
  return ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have the same item twice' },
    validate: (isWanted: boolean, items: readonly unknown[]) =>
      !isWanted || new Set(items.map((item) => paidText(item, budget))).size === items.length,
  });
}

/** The fixed cost of the canonical text of an object or a list, and the characters for one step. */
const compositeSteps = 20;
const charactersPerStep = 1;

function paidText(item: unknown, budget: ValidationBudget): string {
  const text = comparableText(item);
  budget.spend(3 + (typeof item === 'object' ? compositeSteps : 0) + text.length / charactersPerStep);
  return text;
}

function toIssue(validate: ValidateFunction): Issue {
  const error = validate.errors?.[0];
  if (error === undefined) return { path: 'args', message: 'does not match the input schema' };
  const keys = error.instancePath.split('/').slice(1).map(unescapePointer);
  return { path: joinPath(['args', ...keys, ...named(error)]), message: messageOf(error) };
}

/** RFC 6901, section 4; numbers are array indexes. */
function unescapePointer(token: string): string | number {
  return /^\d+$/.test(token) ? Number(token) : token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function named({ params }: ErrorObject): string[] {
  const name = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  return typeof name === 'string' ? [name] : [];
}

function messageOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
    return 'is not an argument of this tool';
  if (keyword === 'enum') return `must be one of ${JSON.stringify(params.allowedValues)}`;
  return message ?? `fails ${keyword}`;
}
