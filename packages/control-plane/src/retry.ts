// What an attempt means for a repeat of it, by what the target says of itself.
import { nothingSent, type RetryMetadata } from '@portico/contracts';
import type { Target } from './steps/resolve.js';

/** Reads are safe to repeat; a tool is when it says so of itself; under a key a repeat is the same execution. */
export function retryOf(
  { kind, tool }: Target,
  isKeyed: boolean,
  state: RetryMetadata['upstream_execution_state'],
): RetryMetadata {
  if (state === 'not_started') return nothingSent;
  const isRead = kind !== 'tool' || tool?.annotations?.readOnlyHint === true;
  const isIdempotent = isKeyed || tool?.annotations?.idempotentHint === true;
  return { classification: isRead ? 'safe' : isIdempotent ? 'idempotent' : 'unsafe', upstream_execution_state: state };
}
