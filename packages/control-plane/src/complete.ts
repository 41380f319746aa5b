// Completion of one argument of a prompt or resource template: the upstream is asked, with the same guards as a call.
import type { CompletionData, CompletionRequest, Correlation, JsonObject, JsonValue } from '@portico/contracts';
import type { SendDeadline, UpstreamRequest } from '@portico/upstream-pool';
import type { Caller, CallKind } from './call.js';
import { type Execution, traceMeta } from './execute.js';
import type { PlaneState } from './plane-state.js';
import { authorize } from './steps/authorize.js';
import { invoke } from './steps/invoke.js';
import { resolve, type Target } from './steps/resolve.js';

export interface CompletionCall {
  readonly request: CompletionRequest;
  readonly correlation: Correlation;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/**
 * To complete an argument is not to use the prompt or resource, so it needs no approval; what is denied stays denied.
 * @throws CallFailure PROMPT_NOT_FOUND, RESOURCE_NOT_FOUND, POLICY_DENIED and the codes of an upstream that does not answer
 */
export async function complete(
  on: Execution,
  state: PlaneState,
  { request, correlation, caller }: CompletionCall,
  deadline: SendDeadline,
): Promise<CompletionData> {
  const { ref_type, ref_name } = request;
  const kind: CallKind = ref_type;
  const target = resolve(state, caller.profile, kind, ref_name);
  authorize(state, { kind, id: ref_name, caller }, target);
  const upstreamRequest = toRequest(target, request, traceMeta(on.randomHex, correlation));
  const { data } = await invoke(on.pool, target, upstreamRequest, deadline, false);
  return toCompletionData(data.completion);
}
function toRequest(
  target: Target,
  { argument_name, argument_value }: CompletionRequest,
  meta: JsonObject,
): UpstreamRequest {
  const ref: JsonObject =
    target.kind === 'prompt' ? { type: 'ref/prompt', name: target.name } : { type: 'ref/resource', uri: target.name };
  return {
    method: 'completion/complete',
    params: { ref, argument: { name: argument_name, value: argument_value ?? '' }, _meta: meta },
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
