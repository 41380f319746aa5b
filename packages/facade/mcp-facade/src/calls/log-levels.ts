// Levels of log messages, least severe first (RFC 5424, as MCP names them).
import type { JsonValue } from '@portico/contracts';

const levels: readonly string[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** What a client of a session hears before it sets a level. */
export const defaultLogLevel = 'info';

export function isLogLevel(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && levels.includes(value);
}

/** A level that is none is heard by everybody. */
export function isAtLeast(level: JsonValue | undefined, threshold: string): boolean {
  return !isLogLevel(level) || levels.indexOf(level) >= levels.indexOf(threshold);
}
