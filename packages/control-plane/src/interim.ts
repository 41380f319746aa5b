// Results that are on the way to another one.
import { isJsonObject, type JsonValue } from '@portico/contracts';

/** Whether the upstream asks the caller for more before it goes on. */
export function isQuestion(data: JsonValue): boolean {
  return isJsonObject(data) && data.resultType === 'input_required';
}

/** `input_required` and `task` results are answers on the way to an answer (MCP 2026-07-28). */
export function isInterim(data: JsonValue): boolean {
  return isJsonObject(data) && data.resultType !== undefined && data.resultType !== 'complete';
}
