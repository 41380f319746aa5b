// Results that are on the way to another one.
import { isJsonObject, type JsonValue } from '@portico/contracts';

/** `input_required` and `task` results are answers on the way to an answer (MCP 2026-07-28). */
export function isInterim(data: JsonValue): boolean {
  return isJsonObject(data) && data.resultType !== undefined && data.resultType !== 'complete';
}
