// Tool calls, resource reads, prompts and completions: parse, correlate, hand over, answer.
import { andThen } from '@portico/async';
import {
  batchCallRequestSchema,
  callCapabilityRequestSchema,
  completionRequestSchema,
  getPromptRequestSchema,
  type JsonObject,
  PorticoError,
  readResourceRequestSchema,
} from '@portico/contracts';
import type { Call, CallKind, ControlPlane } from '@portico/control-plane';
import { answerJson, answerOutcome, answerRefusal, answerValue } from './answer.js';
import { readBody } from './body.js';
import { callerOf } from './caller.js';
import { type CorrelatedBody, correlationOf } from './correlation.js';
import type { Exchange, ExchangeRoute } from './exchange.js';
import { keyHeader, preferencesOf } from './execution-headers.js';

export interface ExecutionDeps {
  readonly plane: ControlPlane;
  readonly randomHex: (characters: number) => string;
}

interface ExecutionBody extends CorrelatedBody {
  readonly idempotency_key?: string | null | undefined;
  readonly input_responses?: JsonObject | null | undefined;
  readonly request_state?: string | null | undefined;
}

export function executionRoutes({ plane, randomHex }: ExecutionDeps): readonly ExchangeRoute[] {
  const execute = (x: Exchange, kind: CallKind, body: ExecutionBody, id: string, args: JsonObject) => {
    const { isAsync, waitMs } = preferencesOf(x);
    const call: Call = {
      kind,
      id,
      args,
      correlation: correlationOf(x, body, randomHex),
      caller: callerOf(x),
      signal: x.abandonSignal(),
      idempotencyKey: keyHeader(x) ?? body.idempotency_key ?? null,
      approvalWaitMs: waitMs,
    };
    const turn = turnOf(call, body);
    const running = isAsync ? plane.tasks.run(turn, true) : plane.execute(turn);
    return running.then((outcome) => answerOutcome(kind, outcome));
  };

  const callTool: ExchangeRoute = {
    method: 'POST',
    path: '/v1/tools/call',
    handle: (x) =>
      andThen(readBody(x, callCapabilityRequestSchema), (body) =>
        execute(x, 'tool', body, body.capability_id, body.args),
      ),
  };

  const callBatch: ExchangeRoute = {
    method: 'POST',
    path: '/v1/tools/batch_call',
    async handle(x) {
      const body = await readBody(x, batchCallRequestSchema);
      const caller = callerOf(x);
      plane.view(caller, 'tool'); // an unknown profile is refused as a whole, before any step
      const correlation = correlationOf(x, body, randomHex);
      const idempotencyKey = keyHeader(x) ?? body.idempotency_key ?? null;
      const batch = { steps: body.steps, correlation, caller, signal: x.abandonSignal(), idempotencyKey };
      return answerValue(await plane.executeBatch(batch), 200);
    },
  };

  const readResource: ExchangeRoute = {
    method: 'POST',
    path: '/v1/resources/read',
    handle: (x) =>
      andThen(readBody(x, readResourceRequestSchema), (body) => execute(x, 'resource', body, body.resource_id, {})),
  };

  const getPrompt: ExchangeRoute = {
    method: 'POST',
    path: '/v1/prompts/get',
    handle: (x) =>
      andThen(readBody(x, getPromptRequestSchema), (body) =>
        execute(x, 'prompt', body, body.prompt_id, body.arguments ?? {}),
      ),
  };

  const complete: ExchangeRoute = {
    method: 'POST',
    path: '/v1/completion/complete',
    async handle(x) {
      const request = await readBody(x, completionRequestSchema);
      const correlation = correlationOf(x, {}, randomHex);
      try {
        const data = await plane.complete({ request, correlation, caller: callerOf(x), signal: x.abandonSignal() });
        return answerJson(JSON.stringify({ ok: true, trace_id: correlation.traceId, data }), 200);
      } catch (error) {
        if (!(error instanceof PorticoError)) throw error;
        return answerRefusal(correlation, error);
      }
    },
  };

  const cancel: ExchangeRoute = {
    method: 'POST',
    path: '/v1/operations/{id}/cancel',
    async handle(x, requestId) {
      const cancelled = await plane.cancel(callerOf(x).principal, requestId);
      return answerJson(JSON.stringify({ ok: true, request_id: requestId, cancelled }), 200);
    },
  };

  return [callTool, callBatch, readResource, getPrompt, complete, cancel];
}

/** With what a caller brings that comes back with answers. */
function turnOf(call: Call, { input_responses, request_state }: ExecutionBody): Call {
  if (input_responses == null && request_state == null) return call;
  return {
    ...call,
    ...(input_responses == null ? {} : { inputResponses: input_responses }),
    ...(request_state == null ? {} : { requestState: request_state }),
  };
}
