// Completion of one argument of a prompt or resource template: the upstream is asked, with the same guards as a call.
import type { CompletionData, CompletionRequest, Correlation, JsonObject, JsonValue } from '@portico/contracts';
import type { SendDeadline, UpstreamRequest } from '@portico/upstream-pool';
import type { CallKind } from './call.js';
import { type Execution, traceMeta } from './execute.js';
import type { PlaneState } from './plane-state.js';
import { invoke } from './steps/invoke.js';
import { resolve, type Target } from './steps/resolve.js';

export interface CompletionCall {
  readonly request: CompletionRequest;
  readonly correlation: Correlation;
  readonly profile: string | null;
  readonly signal: AbortSignal;
}

/** @throws CallFailure PROMPT_NOT_FOUND, RESOURCE_NOT_FOUND and the codes of an upstream that does not answer */
export async function complete(
  on: Execution,
  state: PlaneState,
  call: CompletionCall,
  deadline: SendDeadline,
): Promise<CompletionData> {
  const { ref_type, ref_name } = call.request;
  const kind: CallKind = ref_type;
  const target = resolve(state, call.profile, kind, ref_name);
  const request = toRequest(target, call.request, traceMeta(on.randomHex, call.correlation));
  const { data } = await invoke(on.pool, target, request, deadline);
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
