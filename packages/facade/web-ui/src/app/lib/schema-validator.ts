// Checks the values of a form against the schema of a tool, for the form library. The service checks again: this one is
// for hints beside fields, so patterns are left out: they come from upstreams, and one may hang the page.
import { type Schema, Validator } from '@cfworker/json-schema';
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import type { ErrorSchema, GenericObjectType, RJSFSchema, RJSFValidationError, ValidatorType } from '@rjsf/utils';
import { toErrorSchema } from '@rjsf/utils';

export function createSchemaValidator(): ValidatorType<unknown, RJSFSchema> {
  return {
    validateFormData(value, schema, _custom, transform) {
      const found = problemsOf(value, schema);
      const errors = transform === undefined ? found : transform(found);
      return { errors, errorSchema: toErrorSchema(errors) as ErrorSchema<unknown> };
    },
    isValid: (schema, value, root) => problemsOf(value, withDefinitions(schema, root)).length === 0,
    rawValidation: () => ({ errors: [] }),
  };
}

/** Branches of a schema are asked about by themselves; what they refer to is in the whole. */
function withDefinitions(schema: RJSFSchema, root: RJSFSchema): RJSFSchema {
  const { $defs, definitions } = root;
  return {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    ...schema,
  };
}

function problemsOf(value: unknown, schema: GenericObjectType): RJSFValidationError[] {
  const validator = new Validator(withoutPatterns(schema as JsonObject) as Schema, '2020-12', false);
  try {
    const { errors } = validator.validate(value ?? {});
    return errors
      .filter(({ keyword }) => keyword !== 'properties' && keyword !== 'items' && keyword !== '$ref')
      .map(({ keyword, error, instanceLocation }) => toProblem(keyword, error, instanceLocation));
  } catch {
    return []; // a schema that refers to what is not there: the service says so
  }
}

/** `#/a/0/b` as `.a.0.b`, the form that the library looks fields up by. */
function toProblem(keyword: string, error: string, location: string): RJSFValidationError {
  const path = location.split('/').slice(1).map(unescapePointer);
  const missing = keyword === 'required' ? /"([^"]+)"/.exec(error)?.[1] : undefined;
  const property = [...path, ...(missing === undefined ? [] : [missing])].map((part) => `.${part}`).join('');
  const message = missing === undefined ? error : 'is required';
  return { name: keyword, property, message, stack: `${property} ${message}` };
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A copy of a schema without what it would run regular expressions for. */
export function withoutPatterns(value: JsonObject): JsonObject {
  const copy = (part: JsonValue, isNameMap: boolean): JsonValue => {
    if (Array.isArray(part)) return part.map((item) => copy(item, false));
    if (!isJsonObject(part)) return part;
    const kept = Object.entries(part).filter(([name]) => isNameMap || !['pattern', 'patternProperties'].includes(name));
    return Object.fromEntries(
      kept.map(([name, item]) => [name, copy(item ?? null, !isNameMap && isMapOfSchemas(name))]),
    );
  };
  return copy(value, false) as JsonObject;
}

const mapsOfSchemas = ['properties', '$defs', 'definitions', 'dependentSchemas'];

function isMapOfSchemas(name: string): boolean {
  return mapsOfSchemas.includes(name);
}
