// Params of requests: the SDK has looked at the envelope of a message, not into it.
import type { JsonObject } from '@portico/contracts';
import { invalidParams } from '../calls/failures.js';

/** @throws ProtocolError -32602 */
export function textParam(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw invalidParams(`params.${name}: expected a string`);
  return value;
}

/** @throws ProtocolError -32602 */
export function objectParam(params: JsonObject, name: string): JsonObject {
  const value = params[name] ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidParams(`params.${name}: expected an object`);
  return value as JsonObject; // neither null nor an array nor a plain value
}

/** @throws ProtocolError -32602 */
export function checkCursor({ cursor }: JsonObject): void {
  if (cursor !== undefined) throw invalidParams('params.cursor: not a cursor of this list, which has one page');
}
