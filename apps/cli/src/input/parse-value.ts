// JSON of the command line and of files that it names.
import { type JsonObject, type JsonValue, parseExact } from '@portico/contracts';
import { UsageFailure } from '../failures.js';
import { isObject } from '../is-object.js';

/** @throws UsageFailure */
export function parseObject(text: string, what: string): JsonObject {
  const value = parseValue(text, what);
  if (isObject(value)) return value;
  throw new UsageFailure(`${what}: expected a JSON object`);
}

/** The numbers in an object or a list keep their texts. @throws UsageFailure */
export function parseValue(text: string, what: string): JsonValue {
  try {
    return parseExact(text);
  } catch (error) {
    throw new UsageFailure(`${what}: not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
}
