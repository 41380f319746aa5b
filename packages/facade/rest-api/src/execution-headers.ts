// The request headers that say how an execution is to be carried out: its idempotency key, and how long to wait.
import { describeIssues, idempotencyKeySchema, PorticoError, parseWith } from '@portico/contracts';
import type { Exchange } from './exchange.js';

/** @throws PorticoError INVALID_ARGS for a key that is none */
export function keyHeader(x: Exchange): string | undefined {
  const value = textOf(x.header('idempotency-key'));
  if (value === undefined) return undefined;
  const parsed = parseWith(idempotencyKeySchema, value);
  if (!parsed.ok) throw new PorticoError('INVALID_ARGS', `header Idempotency-Key: ${describeIssues(parsed.issues)}`);
  return value;
}

/** Node reads a header octet by octet; where the octets are UTF-8 (RFC 9110, section 5.5, leaves it open) that is meant. */
function textOf(header: string | undefined): string | undefined {
  if (header === undefined || !/[\x80-\xff]/.test(header)) return header;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}

/** Longer than any ticket waits for its decision. */
const maxWaitSecs = 604_800;

/** Whether a Prefer header asks for an answer at once and the result later (RFC 7240, section 4.1). */
export function prefersAsync(x: Exchange): boolean {
  return preferencesOf(x).some((preference) => /^\s*respond-async\s*$/i.test(preference));
}

function preferencesOf(x: Exchange): readonly string[] {
  return x.header('prefer')?.split(/[,;]/) ?? [];
}

/** `wait=<seconds>` of a Prefer header (RFC 7240, section 4.3) in milliseconds; 0 without one, or for what is none. */
export function preferredWaitMs(x: Exchange): number {
  for (const preference of preferencesOf(x)) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d+)"?\s*$/i.exec(preference) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), maxWaitSecs) * 1000;
  }
  return 0;
}
