// Reads a JSON body and checks it. Whatever is wrong with it is said with its path, before anything else happens.
import {
  describeIssues,
  isJsonObject,
  maxNesting,
  nestsDeeperThan,
  PorticoError,
  parseJson,
  parseWith,
} from '@portico/contracts';
import type { Context } from 'hono';
import type * as v from 'valibot';

export const maxBodyBytes = 4 * 1024 * 1024;

/** @throws PorticoError INVALID_ARGS */
export async function readBody<S extends v.GenericSchema>(c: Context, schema: S): Promise<v.InferOutput<S>> {
  const value = parseBody(await readText(c));
  // A refusal names the request by the id its body gave, so it is kept before anything else can fail.
  if (isJsonObject(value) && typeof value.request_id === 'string') c.set('requestId', value.request_id);
  if (!isJsonObject(value)) throw new PorticoError('INVALID_ARGS', 'the body must be a JSON object');
  const parsed = parseWith(schema, value);
  if (!parsed.ok) throw new PorticoError('INVALID_ARGS', describeIssues(parsed.issues));
  return parsed.value;
}

function parseBody(text: string): unknown {
  if (nestsDeeperThan(text, maxNesting)) {
    throw new PorticoError('INVALID_ARGS', `the body is nested deeper than ${maxNesting} levels`);
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new PorticoError(
      'INVALID_ARGS',
      `the body is not valid JSON: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** A caller that goes away in the middle of its body has cancelled; nobody is left to be answered. */
export function endedEarly(cause: unknown): PorticoError {
  return new PorticoError('OPERATION_CANCELLED', 'the request body ended early', { cause });
}

async function readText(c: Context): Promise<string> {
  let bytes: ArrayBuffer;
  try {
    bytes = await c.req.arrayBuffer();
  } catch (error) {
    throw endedEarly(error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PorticoError('INVALID_ARGS', 'the body is not valid UTF-8');
  }
}
