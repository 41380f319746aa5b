// The idempotency key of a call, and the request it is bound to.
import { deriveKey, fingerprintOf, type IdempotencyClaim } from '@portico/idempotency';
import { type Call, CallFailure } from './call.js';
import type { Target } from './target.js';

/** The key in force: the client's own, else one derived from its request id; null without either. @throws CallFailure INVALID_ARGS */
export function keyOf({ kind, id, args, correlation, idempotencyKey, batch }: Call): string | null {
  if (idempotencyKey !== null) return batch === undefined ? idempotencyKey : stepKey(idempotencyKey, batch.stepId);
  const { requestId, context } = correlation;
  if (requestId === null) return null;
  return canonical(() => deriveKey({ kind, id, args }, context?.actor_id ?? null, requestId, batch?.stepId));
}

/** The step's part is escaped and follows the last slash, so no two steps share a key. */
function stepKey(key: string, stepId: string): string {
  const part = stepId.replaceAll('%', '%25').replaceAll('/', '%2F');
  if (/[\uD800-\uDFFF]/u.test(part)) throw new CallFailure('INVALID_ARGS', 'the id of a step is no valid Unicode text');
  return `${key}/${part}`;
}

/** @throws CallFailure INVALID_ARGS */
export function idempotencyClaimOf(call: Call, target: Target, key: string): IdempotencyClaim {
  const fingerprint = canonical(() => fingerprintOf({ kind: call.kind, id: target.id, args: call.args }));
  return { scope: call.caller.principal, key, fingerprint };
}

function canonical<T>(compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof TypeError) throw new CallFailure('INVALID_ARGS', `args: ${error.message}`);
    throw error;
  }
}
