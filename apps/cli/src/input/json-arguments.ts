// Arguments of a call from the command line: a JSON object, a file of one, and pairs as HTTPie has them.
import type { ApiClient } from '@portico/client';
import type { JsonObject } from '@portico/contracts';
import { UsageFailure } from '../failures.js';
import { coerceArgument } from './coerce.js';
import { parseObject, parseValue } from './parse-value.js';
import { readText } from './read-text.js';

export { parseObject, parseValue } from './parse-value.js';

/**
 * Later ones win: the file, then what stands on the command line.
 * @param findSchema what `name=text` is for; undefined where it is not known, and not asked for where there is none
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
  return Object.assign({}, fromFile, ...words.map((word) => toArguments(word, schema)));
}

/** Neither an object nor `name:=json`. */
const textPair = /^(?!\s*\{)[^=:]+=/;

/** The input schema of a capability; undefined where it cannot be had: the call then says why. */
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
  if (operator === ':=') return { [name]: parseValue(value, name) };
  return { [name]: schema === undefined ? value : coerceArgument(name, value, schema) };
}
