// A batch: steps one after the other, each a whole call of its own, later ones fed from the results of earlier ones.
import type { AbortSignalLike } from '@portico/async';
import {
  type BatchCallResponse,
  type BatchStep,
  type BatchStepResult,
  type Correlation,
  describeIssues,
  type ErrorCode,
  gatherExact,
  type JsonValue,
  mayHoldExact,
  parseExact,
} from '@portico/contracts';
import { resolveReferences } from '@portico/distill';
import type { Call, Caller, Outcome } from './call.js';
import type { CallClient } from './client.js';
import type { Pacer } from './pacer.js';

export interface BatchCall {
  /** Ids are unique; see the request schema. */
  readonly steps: readonly BatchStep[];
  readonly correlation: Correlation;
  readonly caller: Caller;
  /** Aborts when the caller gives up. That does not end a batch that has a key. */
  readonly signal: AbortSignalLike;
  /** As the client gave it, for the whole batch; null if it gave none. */
  readonly idempotencyKey: string | null;
  /** The MCP client that calls; none for a caller over HTTP. */
  readonly client?: CallClient;
}

export interface BatchDeps {
  /** The life of a call. Each step reads the state again, so a rule that changed holds from the next step on. */
  readonly execute: (call: Call) => Promise<Outcome>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly pacer: Pacer;
}

/**
 * Runs the steps in order; the first failure ends the batch unless its step continues on errors. Never rejects.
 * @param signal ends the batch
 */
export async function runBatch(
  { execute, now, pacer }: BatchDeps,
  batch: BatchCall,
  signal: AbortSignalLike,
): Promise<BatchCallResponse> {
  const { correlation, caller, idempotencyKey } = batch;
  const startedAt = now();
  const stepIds = batch.steps.map(({ id }) => id);
  const outputs = new Map<string, JsonValue>();
  const results: BatchStepResult[] = [];

  for (const step of batch.steps) {
    await pacer.turn(caller.principal, signal)?.catch(() => {}); // that it was cancelled, the signal says
    if (signal.aborted) break; // nothing more begins
    const stepStartedAt = now();
    const outcome = await runStep(step);
    const duration_us = microseconds(now() - stepStartedAt);
    const { id, capability_id } = step;
    results.push(gatherExact({ id, capability_id, ok: outcome.ok, duration_us, ...resultOf(outcome) }));
    if (outcome.ok) outputs.set(step.id, outcome.data);
    else if (step.continue_on_error !== true) break;
  }

  const response = {
    ok: results.length === batch.steps.length && results.every(({ ok }) => ok),
    request_id: correlation.requestId,
    trace_id: correlation.traceId,
    results: gatherExact(results),
    total_duration_us: microseconds(now() - startedAt),
  };
  return gatherExact(response);

  async function runStep({ id: stepId, capability_id, args }: BatchStep): Promise<StepOutcome> {
    const resolved = resolveReferences(args, outputs, stepIds);
    if (!resolved.ok)
      return { ok: false, isReplay: false, code: 'INVALID_ARGS', message: describeIssues([resolved.issue]) };
    const { kind, envelope, dataText } = await execute({
      kind: 'tool',
      id: capability_id,
      args: resolved.args,
      correlation,
      caller,
      signal,
      idempotencyKey,
      approvalWaitMs: 0,
      client: batch.client === undefined ? stepOverHttp : stepOfClient,
      batch: { stepId, signal },
    });
    const isReplay = kind === 'replayed';
    if (!envelope.ok) return { ok: false, isReplay, ...envelope.error };
    const isExact = dataText !== undefined && mayHoldExact.test(dataText);
    return { ok: true, isReplay, data: isExact ? parseExact(dataText) : envelope.data };
  }
}

/** No request comes back to a step with answers. */
const stepOfClient: CallClient = Object.freeze({ capabilities: Object.freeze({}) });
const stepOverHttp: CallClient = Object.freeze({ ...stepOfClient, isOverHttp: true });

type StepOutcome =
  | { readonly ok: true; readonly isReplay: boolean; readonly data: JsonValue }
  | { readonly ok: false; readonly isReplay: boolean; readonly code: ErrorCode; readonly message: string };

function resultOf(outcome: StepOutcome): Pick<BatchStepResult, 'data' | 'error' | 'deduplicated'> {
  const result = outcome.ok ? { data: outcome.data } : { error: `${outcome.code}: ${outcome.message}` };
  return outcome.isReplay ? { ...result, deduplicated: true } : result;
}

function microseconds(ms: number): number {
  return Math.round(ms * 1000);
}
