// How long a failing target is left alone. Pure: chance and the time of day come from outside.

const firstDelayMs = 500;
const maxDelayMs = 60_000;
const maxRetryAfterMs = 300_000;

/** Exponential, with full jitter. @param failures in a row, from 1  @param unit from 0 to 1 */
export function backoffMs(failures: number, unit: number): number {
  return unit * Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);
}

/** `Retry-After` (RFC 9110, section 10.2.3) as milliseconds, 5 minutes at most; 0 where it says nothing. */
export function parseRetryAfter(value: string | null, epochMs: number): number {
  const text = value?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : toEpochMs(text) - epochMs;
  return ms > 0 ? Math.min(ms, maxRetryAfterMs) : 0;
}

/** Accepts the date format that HTTP has; other dates are ambiguous. */
function toEpochMs(text: string): number {
  return text.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
}
