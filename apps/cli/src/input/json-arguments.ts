// Arguments of a call from the command line: a JSON object, a file of one, and pairs as HTTPie has them.
import { type JsonObject, type JsonValue, parseJson } from '@portico/contracts';
import { UsageFailure } from '../failures.js';
import { isObject } from '../is-object.js';
import { readText } from './read-text.js';

/** Later ones win: the file, then what stands on the command line. @throws UsageFailure, and the reason of `stopped` */
export async function readArguments(
  words: readonly string[],
  file: string | undefined,
  stopped: AbortSignal,
): Promise<JsonObject> {
  const fromFile = file === undefined ? {} : parseObject(await readText(file, stopped), file);
  return Object.assign({}, fromFile, ...words.map(toArguments));
}

function toArguments(word: string): JsonObject {
  if (word.trimStart().startsWith('{')) return parseObject(word, 'the arguments');
  const [, name, operator, value = ''] = /^([^=:]+)(:?=)([\s\S]*)$/.exec(word) ?? [];
  if (name === undefined) {
    throw new UsageFailure(`"${word}" is no argument; expected name=text, name:=json or a JSON object`);
  }
  return { [name]: operator === '=' ? value : parseValue(value, name) };
}

/** @throws UsageFailure */
export function parseObject(text: string, what: string): JsonObject {
  const value = parseValue(text, what);
  if (isObject(value)) return value;
  throw new UsageFailure(`${what}: expected a JSON object`);
}

/** @throws UsageFailure */
export function parseValue(text: string, what: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new UsageFailure(`${what}: not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
}
