// The request headers that say how an execution is to be carried out: its idempotency key, and how long to wait.
import { describeIssues, idempotencyKeySchema, PorticoError, parseWith } from '@portico/contracts';

/** The key that an Idempotency-Key header names. @throws PorticoError INVALID_ARGS for an invalid key */
export function parseKey(header: string): string {
  const value = textOf(header);
  const parsed = parseWith(idempotencyKeySchema, value);
  if (!parsed.ok) throw new PorticoError('INVALID_ARGS', `header Idempotency-Key: ${describeIssues(parsed.issues)}`);
  return value;
}

/** Node reads a header octet by octet; where the octets are UTF-8 (RFC 9110, section 5.5, leaves it open) that is meant. */
function textOf(header: string): string {
  if (!/[\x80-\xff]/.test(header)) return header;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}

/** Longer than any ticket waits for its decision. */
const maxWaitSecs = 604_800;

/** The preferences of a Prefer header (RFC 7240). */
export interface Preferences {
  /** `respond-async`: an answer at once, and the result later. */
  readonly isAsync: boolean;
  /** `wait=<seconds>`, in milliseconds; 0 without one, or for an invalid value. */
  readonly waitMs: number;
}

/** Without a Prefer header. */
export const noPreferences: Preferences = { isAsync: false, waitMs: 0 };

export function parsePreferences(header: string): Preferences {
  const preferences = header.split(/[,;]/);
  const waits = preferences.map((preference) => /^\s*wait\s*=\s*"?(\d+)"?\s*$/i.exec(preference)?.[1]);
  const seconds = waits.find((found) => found !== undefined) ?? 0;
  return {
    isAsync: preferences.some((preference) => /^\s*respond-async\s*$/i.test(preference)),
    waitMs: Math.min(Number(seconds), maxWaitSecs) * 1000,
  };
}
