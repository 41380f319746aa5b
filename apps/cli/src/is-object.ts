// The contracts package has this too, among all its schemas: they are not loaded for a look at a value.
import type { JsonObject, JsonValue } from '@portico/contracts';

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
