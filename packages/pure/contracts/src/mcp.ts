// Words of the Model Context Protocol that more than one side of Portico needs: both talk to servers and clients.
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';

/** The tasks extension of 2026-07-28. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** MCP `LoggingLevel`, the least severe first (RFC 5424). */
export const logLevels: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Whether a value is one of the eight log levels of MCP (RFC 5424 severities). */
export function isLogLevel(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && logLevels.includes(value);
}

/** An unknown level passes every threshold. */
export function isAtLeast(level: JsonValue | undefined, threshold: string): boolean {
  return !isLogLevel(level) || logLevels.indexOf(level) >= logLevels.indexOf(threshold);
}

/** Whether a result asks the caller for more before the server goes on (2026-07-28, multi round-trip requests). */
export function isQuestion(data: JsonValue | undefined): data is JsonObject {
  return isJsonObject(data) && data.resultType === 'input_required';
}
