// The arguments of a tool as its input schema lists them, one level deep: what a person needs to type them.
import type { JsonObject, JsonValue } from '@portico/contracts';
import { isObject } from '../is-object.js';

export interface ArgumentRow {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
}

export function argumentRows(schema: JsonObject): readonly ArgumentRow[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(objectOf(schema.properties)).map(([name, value]) => {
    const property = objectOf(value);
    const { description } = property;
    return {
      name,
      type: typeOf(property),
      isRequired: required.includes(name),
      description: typeof description === 'string' ? description : undefined,
    };
  });
}

function typeOf({ type, enum: values, items }: JsonObject): string {
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array' && items !== undefined) return `array of ${typeOf(objectOf(items))}`;
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'any';
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
