// Reads a JSON body and checks it. Whatever is wrong with it is said with its path, before anything else happens.
import {
  clientBounds,
  describeIssues,
  excessOf,
  isJsonObject,
  PorticoError,
  parseJson,
  parseWith,
} from '@portico/contracts';
import type * as v from 'valibot';
import type { Exchange } from './exchange.js';

export const maxBodyBytes = 4 * 1024 * 1024;

/** Answered with 413. */
export class BodyTooLarge extends PorticoError {
  constructor() {
    super('INVALID_ARGS', `the body is larger than ${maxBodyBytes} bytes`);
  }
}

/** Reads the body. @throws PorticoError INVALID_ARGS, and what `bytes` of the exchange throws: in the promise */
export async function readBody<S extends v.GenericSchema>(x: Exchange, schema: S): Promise<v.InferOutput<S>> {
  return parseBody(x, schema, await x.bytes());
}

const decoder = new TextDecoder('utf-8', { fatal: true }); // keeps nothing between texts that are decoded whole

/** @param bytes of the whole body. @throws PorticoError INVALID_ARGS */
export function parseBody<S extends v.GenericSchema>(x: Exchange, schema: S, bytes: Uint8Array): v.InferOutput<S> {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new PorticoError('INVALID_ARGS', 'the body is not valid UTF-8');
  }
  const excess = excessOf(text, clientBounds);
  if (excess !== undefined) throw new PorticoError('INVALID_ARGS', `the body is ${excess}`);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : error;
    throw new PorticoError('INVALID_ARGS', `the body is not valid JSON: ${problem}`);
  }
  if (!isJsonObject(value)) throw new PorticoError('INVALID_ARGS', 'the body must be a JSON object');
  // A refusal names the request by the id its body gave, so it is kept before anything else can fail.
  if (typeof value.request_id === 'string') x.requestId = value.request_id;
  const parsed = parseWith(schema, value);
  if (!parsed.ok) throw new PorticoError('INVALID_ARGS', describeIssues(parsed.issues));
  return parsed.value;
}

/** A caller that goes away in the middle of its body has cancelled; nobody is left to be answered. */
export function endedEarly(cause: unknown): PorticoError {
  return new PorticoError('OPERATION_CANCELLED', 'the request body ended early', { cause });
}
