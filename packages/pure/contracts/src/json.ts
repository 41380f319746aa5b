// JSON values as they cross a boundary. Objects pass through by reference: nothing here copies or drops keys.
import * as v from 'valibot';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Any JSON object, kept as it is. `v.record` would copy it and silently drop keys such as `constructor`,
 * which a tool may well have among its arguments.
 */
export const jsonObjectSchema = v.custom<JsonObject>(isJsonObject, 'expected an object');
