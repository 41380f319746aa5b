// Completion of one argument of a prompt or resource template: the upstream is asked, with the same guards as a call.
import type { AbortSignalLike } from '@portico/async';
import type { CompletionData, CompletionRequest, Correlation, JsonObject, JsonValue } from '@portico/contracts';
import type { SendDeadline, UpstreamRequest } from '@portico/upstream-pool';
import { type AuditedCall, type CallEnd, callDraft } from '../audit/drafts.js';
import { type Caller, CallFailure, type CallKind } from '../call/call.js';
import type { Target } from '../call/target.js';
import { invokeInSpan } from '../observability/tracing/execution-trace.js';
import { permit } from '../state/permit.js';
import type { PlaneState } from '../state/plane-state.js';
import { resolve } from '../state/target.js';
import type { Execution } from './execute.js';
import { invoke } from './steps/invoke.js';
import { leaveRecord } from './steps/record.js';

export interface CompletionCall {
  readonly request: CompletionRequest;
  readonly correlation: Correlation;
  readonly caller: Caller;
  readonly signal: AbortSignalLike;
}

/**
 * Asks, and leaves a record of it. To complete an argument is not to use the prompt or resource, so it needs no approval;
 * what is denied stays denied.
 * @throws CallFailure PROMPT_NOT_FOUND, RESOURCE_NOT_FOUND, POLICY_DENIED, INTERNAL_ERROR and the codes of an upstream
 *   that does not answer
 */
export async function complete(
  on: Execution,
  state: PlaneState,
  call: CompletionCall,
  deadline: SendDeadline,
): Promise<CompletionData> {
  const startedAtMs = on.clock.now();
  const action = await on.audit.begin();
  const [asked] = await Promise.allSettled([ask(on, state, call, deadline)]);
  const toDraft = (ended: PromiseSettledResult<CompletionData>) =>
    callDraft(
      auditedCall(state, call),
      {
        ...endOf(ended),
        epochMs: on.clock.epochMs(),
        durationUs: Math.round((on.clock.now() - startedAtMs) * 1000),
        key: null,
        approvalId: null,
        details: { method: 'completion/complete' },
      },
      on.state(),
    );
  const failure = await leaveRecord(on, call.correlation, action, { toDraft }, asked);
  if (asked.status === 'rejected') throw asked.reason;
  if (failure !== undefined) throw new CallFailure(failure.code, failure.message, read, failure);
  return asked.value;
}

const read = { classification: 'safe', upstream_execution_state: 'completed' } as const;

function endOf(asked: PromiseSettledResult<CompletionData>): Pick<CallEnd, 'kind' | 'code' | 'isUnsent'> {
  if (asked.status === 'fulfilled') return { kind: 'answered', isUnsent: false };
  const { reason } = asked;
  if (!(reason instanceof CallFailure)) return { kind: 'answered', code: 'INTERNAL_ERROR', isUnsent: false };
  return {
    kind: 'answered',
    code: reason.code,
    isUnsent: reason.retry.upstream_execution_state === 'not_started',
  };
}

function auditedCall(state: PlaneState, { request, correlation, caller }: CompletionCall): AuditedCall {
  const { ref_type, ref_name, argument_name, argument_value } = request;
  const call = { kind: ref_type, id: ref_name, correlation, caller };
  return { state, call, args: { [argument_name]: argument_value ?? '' } };
}

async function ask(
  on: Execution,
  state: PlaneState,
  { request, correlation, caller }: CompletionCall,
  deadline: SendDeadline,
): Promise<CompletionData> {
  const { ref_type, ref_name } = request;
  const kind: CallKind = ref_type;
  const target = resolve(state, caller, kind, ref_name);
  permit(state, { kind, id: ref_name, caller }, target);
  const { method, params } = toRequest(target, request);
  const redactor = state.policy.redactorOf(caller.role);
  const { data } = await invokeInSpan(on, correlation, redactor, { server: target.server, method }, (_meta) =>
    invoke(on.pool, target, { method, params: { ...params, _meta } }, deadline),
  );
  return toCompletionData(data.completion);
}

function toRequest(target: Target, { argument_name, argument_value }: CompletionRequest): UpstreamRequest {
  const ref: JsonObject =
    target.kind === 'prompt' ? { type: 'ref/prompt', name: target.name } : { type: 'ref/resource', uri: target.name };
  return {
    method: 'completion/complete',
    params: { ref, argument: { name: argument_name, value: argument_value ?? '' } },
  };
}

function toCompletionData(completion: JsonValue | undefined): CompletionData {
  const { values, total, hasMore } = isObject(completion) ? completion : {};
  return {
    values: Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [],
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof hasMore === 'boolean' ? { has_more: hasMore } : {}),
  };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
