// Watching a resource: under the same rules as reading it, but it needs no approval, since nothing of it is read.
import type { ErrorCode } from '@portico/contracts';
import { callDraft } from '../audit/drafts.js';
import { type Caller, CallFailure } from '../call/call.js';
import { permit } from '../state/permit.js';
import type { PlaneState } from '../state/plane-state.js';
import { resolve } from '../state/target.js';
import type { Execution } from './execute.js';
import { upstreamOf } from './steps/server-of-target.js';

/**
 * Resolves with the function that ends it. A refusal leaves a record, as one of a read does.
 * @throws CallFailure RESOURCE_NOT_FOUND, POLICY_DENIED, SERVER_UNREACHABLE, INTERNAL_ERROR
 */
export async function watchResource(
  on: Pick<Execution, 'pool' | 'audit' | 'clock' | 'randomHex'>,
  state: PlaneState,
  caller: Caller,
  id: string,
): Promise<() => void> {
  try {
    const target = resolve(state, caller, 'resource', id);
    permit(state, { kind: 'resource', id, caller }, target);
    return upstreamOf(on.pool, target).watchResource(target.name);
  } catch (error) {
    if (error instanceof CallFailure) await recordRefusal(on, state, caller, id, error.code);
    throw error;
  }
}

async function recordRefusal(
  { audit, clock, randomHex }: Pick<Execution, 'audit' | 'clock' | 'randomHex'>,
  state: PlaneState,
  caller: Caller,
  id: string,
  code: ErrorCode,
): Promise<void> {
  const correlation = { requestId: null, traceId: randomHex(32) };
  const draft = callDraft(
    { state, call: { kind: 'resource', id, correlation, caller }, args: {} },
    {
      kind: 'answered',
      code,
      isUnsent: true,
      epochMs: clock.epochMs(),
      durationUs: 0,
      key: null,
      approvalId: null,
      details: { method: 'resources/subscribe' },
    },
  );
  await audit.append(draft);
}
