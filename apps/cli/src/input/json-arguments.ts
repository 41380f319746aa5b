// Arguments of a call from the command line: a JSON object, a file of one, and pairs as HTTPie has them.
import type { ApiClient } from '@portico/client';
import { exactTextOf, gatherExact, type JsonObject, type JsonValue } from '@portico/contracts';
import { UsageFailure } from '../failures.js';
import { coerceArgument } from './coerce.js';
import { parseObject, parseValue } from './parse-value.js';
import { readText } from './read-text.js';

export { parseObject, parseValue } from './parse-value.js';

/**
 * Later ones win: the file, then what stands on the command line.
 * @param findSchema what `name=text` is for; undefined if it is not known, and not asked for where there is none
 * @throws UsageFailure, and the reason of `stopped`
 */
export async function readArguments(
  words: readonly string[],
  file: string | undefined,
  stopped: AbortSignal,
  findSchema: () => Promise<JsonObject | undefined> = async () => undefined,
): Promise<JsonObject> {
  const fromFile = file === undefined ? {} : parseObject(await readText(file, stopped), file);
  const schema = words.some((word) => textPair.test(word)) ? await findSchema() : undefined;
  return mergeArguments([fromFile, ...words.map((word) => toArguments(word, schema))]);
}

/** Later ones win. The numbers keep their texts. */
function mergeArguments(parts: readonly JsonObject[]): JsonObject {
  const texts = new Map<string, string>();
  for (const part of parts) {
    for (const [key, value] of Object.entries(part)) {
      const text = typeof value === 'number' ? exactTextOf(part, key, value) : undefined;
      if (text === undefined) texts.delete(key);
      else texts.set(key, text);
    }
  }
  return gatherExact(Object.fromEntries(parts.flatMap((part) => Object.entries(part))), texts);
}

/** Neither an object nor `name:=json`. */
const textPair = /^(?!\s*\{)[^=:]+=/;

/** The input schema of a capability; undefined if it cannot be had: the call then says why. */
export async function findInputSchema(
  client: Pick<ApiClient, 'describeCapability'>,
  id: string,
): Promise<JsonObject | undefined> {
  return client.describeCapability(id).then(
    ({ capability }) => capability.input_schema,
    () => undefined,
  );
}

function toArguments(word: string, schema: JsonObject | undefined): JsonObject {
  if (word.trimStart().startsWith('{')) return parseObject(word, 'the arguments');
  const [, name, operator, value = ''] = /^([^=:]+)(:?=)([\s\S]*)$/.exec(word) ?? [];
  if (name === undefined) {
    throw new UsageFailure(`"${word}" is no argument; expected name=text, name:=json or a JSON object`);
  }
  if (operator === ':=') return argument(name, parseValue(value, name), value);
  return argument(name, schema === undefined ? value : coerceArgument(name, value, schema), value);
}

/** @param text that the value came as */
function argument(name: string, value: JsonValue, text: string): JsonObject {
  return gatherExact({ [name]: value }, typeof value === 'number' ? [[name, text.trim()]] : []);
}
