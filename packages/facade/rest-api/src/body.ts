// Reads a JSON body and checks it. Whatever is wrong with it is said with its path, before anything else happens.
import { describeIssues, isJsonObject, PorticoError, parseWith } from '@portico/contracts';
import type { Context } from 'hono';
import type * as v from 'valibot';

export const maxBodyBytes = 4 * 1024 * 1024;
const maxNesting = 256;

/** @throws PorticoError INVALID_ARGS */
export async function readBody<S extends v.GenericSchema>(c: Context, schema: S): Promise<v.InferOutput<S>> {
  const value = parseJson(await c.req.text());
  // A refusal names the request by the id its body gave, so it is kept before anything else can fail.
  if (isJsonObject(value) && typeof value.request_id === 'string') c.set('requestId', value.request_id);
  const parsed = parseWith(schema, value);
  if (!parsed.ok) throw new PorticoError('INVALID_ARGS', describeIssues(parsed.issues));
  return parsed.value;
}

function parseJson(text: string): unknown {
  if (nestsDeeperThan(text, maxNesting)) {
    throw new PorticoError('INVALID_ARGS', `the body is nested deeper than ${maxNesting} levels`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PorticoError(
      'INVALID_ARGS',
      `the body is not valid JSON: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Whether brackets outside of strings nest deeper than a limit, found without building anything. */
export function nestsDeeperThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (inString) {
      if (unit === 0x5c) i += 1;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
  return false;
}
