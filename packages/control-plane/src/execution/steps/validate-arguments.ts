// Checks arguments against a tool's own JSON Schema. Schemas come from upstreams, so nothing in one may hang or stop us.
import { type Issue, isJsonObject, type JsonObject, joinPath } from '@portico/contracts';
import { Ajv, type AnySchemaObject, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { comparableText } from '../../common/comparable-text.js';
import { schemaCost } from './schema-cost.js';

/** The first problem of the arguments, or undefined where there is none. */
export type CheckArguments = (args: JsonObject) => Issue | undefined;

export interface ArgumentValidator {
  /** Compiled once per schema object. A schema that cannot be compiled accepts everything and is reported once. */
  checkFor(schema: JsonObject): CheckArguments;
}

/** Schemas that cost more are not compiled: it would hold up everybody else. 527 public tools cost at most 69. */
const maxCost = 1000;

/** @param onSkipped told why a schema, or a pattern in it, is not checked */
export function createArgumentValidator(onSkipped: (reason: string) => void): ArgumentValidator {
  const compiled = new WeakMap<JsonObject, CheckArguments>();
  return {
    checkFor(schema) {
      const known = compiled.get(schema);
      if (known !== undefined) return known;
      const check = compile(schema, onSkipped);
      compiled.set(schema, check);
      return check;
    },
  };
}

function compile(schema: JsonObject, onSkipped: (reason: string) => void): CheckArguments {
  const skip = (error: unknown): CheckArguments => {
    onSkipped(`input schema is not checked: ${error instanceof Error ? error.message : String(error)}`);
    return () => undefined;
  };
  try {
    // `$async` is Ajv's own: with it a check would be a promise, which rejects where nobody listens.
    const { $schema: dialect, $async: _, ...rest } = schema;
    if (schemaCost(schema, maxCost) > maxCost) throw new Error(`it has more than ${maxCost} subschemas`);
    const validate = createAjv(dialect, onSkipped).compile(rest as AnySchemaObject); // a JSON Schema is any JSON object
    let check: CheckArguments = (args) => {
      try {
        if (validate(args)) return undefined;
        const issue = toIssue(validate);
        const given = withoutOptionalNulls(schema, args);
        return given !== undefined && validate(given) ? undefined : issue;
      } catch (error) {
        check = skip(error); // it refers to itself without end
        return undefined;
      }
    };
    return (args) => check(args);
  } catch (error) {
    return skip(error);
  }
}

/**
 * Models write null for what they leave out, and servers take it so: where the schema names an argument that it does not
 * require, null is checked as if it were absent. It is passed on as it is. Undefined where there is no such null.
 */
function withoutOptionalNulls({ properties, required }: JsonObject, args: JsonObject): JsonObject | undefined {
  const isOptional = (name: string) =>
    isJsonObject(properties) &&
    Object.hasOwn(properties, name) &&
    !(Array.isArray(required) && required.includes(name));
  const given = Object.entries(args).filter(([name, value]) => value !== null || !isOptional(name));
  return given.length === Object.keys(args).length ? undefined : Object.fromEntries(given);
}

/** MCP takes JSON Schema 2020-12 where `$schema` names nothing else. */
function createAjv(dialect: unknown, onSkipped: (reason: string) => void): Ajv {
  const options: Options = {
    strict: false,
    validateFormats: false,
    logger: false,
    addUsedSchema: false,
    ownProperties: true, // an argument may be called `constructor`
    // Schemas are many and each is compiled alone: what only pays for one that is used a million times is left out.
    meta: false,
    validateSchema: false,
    code: { optimize: false, regExp: boundedRegExp(onSkipped) },
  };
  return withLinearUniqueItems(createDialect(dialect, options));
}

function createDialect(dialect: unknown, options: Options): Ajv {
  if (dialect === undefined) return new Ajv2020(options);
  const name = typeof dialect === 'string' ? dialect.replace(/^https?:\/\/json-schema\.org\/|#$/g, '') : '';
  if (name === 'draft/2020-12/schema') return new Ajv2020(options);
  if (name === 'draft/2019-09/schema') return new Ajv2019(options);
  if (name === 'draft-07/schema' || name === 'draft-06/schema') return new Ajv(options);
  throw new Error(`unknown dialect ${JSON.stringify(dialect)}`);
}

/** Ajv compares every item with every other; canonical texts in a set say the same in one pass. */
function withLinearUniqueItems(ajv: Ajv): Ajv {
  ajv.removeKeyword('uniqueItems');
  return ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have the same item twice' },
    validate: (isWanted: boolean, items: readonly unknown[]) =>
      !isWanted || new Set(items.map(comparableText)).size === items.length,
  });
}

/** Program size times text length that a pattern may cost; RE2 takes time by both. Measured at the limit: 0.03 to 0.05 s. */
const maxPatternCost = 2_000_000;

/** Patterns run on RE2, whose time is bounded. What it cannot say, or would take too long for, is not checked. */
function boundedRegExp(onSkipped: (reason: string) => void) {
  const engine = (pattern: string) => {
    const print = () => pattern; // Ajv takes patterns that print alike for one
    const skip = (why: string) => {
      onSkipped(`pattern ${JSON.stringify(pattern.slice(0, 200))} is not checked: ${why}`);
      return true;
    };
    try {
      const compiled = RE2JS.compile(pattern);
      const size = compiled.programSize();
      const test = (text: string) =>
        size * text.length > maxPatternCost ? skip('it costs too much on this text') : compiled.matcher(text).find();
      return { test, toString: print };
    } catch {
      skip('it does not run in linear time');
      return { test: () => true, toString: print };
    }
  };
  return Object.assign(engine, { code: 'boundedRegExp' });
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
