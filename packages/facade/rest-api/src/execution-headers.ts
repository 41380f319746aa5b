// The request headers that say how an execution is to be carried out: its idempotency key, and how long to wait.
import { describeIssues, idempotencyKeySchema, PorticoError, parseWith } from '@portico/contracts';
import type { Context } from 'hono';

/** @throws PorticoError INVALID_ARGS for a key that is none */
export function keyHeader(c: Context): string | undefined {
  const value = c.req.header('Idempotency-Key');
  if (value === undefined) return undefined;
  const parsed = parseWith(idempotencyKeySchema, value);
  if (!parsed.ok) throw new PorticoError('INVALID_ARGS', `header Idempotency-Key: ${describeIssues(parsed.issues)}`);
  return value;
}

/** Longer than any ticket waits for its decision. */
const maxWaitSecs = 604_800;

/** `wait=<seconds>` of a Prefer header (RFC 7240, section 4.3) in milliseconds; 0 without one, or for what is none. */
export function preferredWaitMs(c: Context): number {
  const preferences = (c.req.header('Prefer') ?? '').split(/[,;]/);
  for (const preference of preferences) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*$/i.exec(preference) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), maxWaitSecs) * 1000;
  }
  return 0;
}
