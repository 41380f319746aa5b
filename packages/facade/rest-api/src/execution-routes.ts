// Tool calls, resource reads, prompts and completions: parse, correlate, hand over, answer.
import {
  batchCallRequestSchema,
  callCapabilityRequestSchema,
  completionRequestSchema,
  getPromptRequestSchema,
  type JsonObject,
  PorticoError,
  type QuestionKind,
  readResourceRequestSchema,
} from '@portico/contracts';
import type { Call, CallKind, ControlPlane, Outcome } from '@portico/control-plane';
import type * as v from 'valibot';
import { answerBatch, answerJson, answerOutcome, answerRefusal } from './answer.js';
import type { Exchange, ExchangeRoute } from './exchange.js';
import { noPreferences, parseKey, parsePreferences } from './execution-headers.js';
import { type CorrelatedBody, callerOf, correlationOf, parseBody, readBody } from './request.js';

export interface ExecutionDeps {
  readonly plane: ControlPlane;
  readonly randomHex: (characters: number) => string;
}

interface ExecutionBody extends CorrelatedBody {
  readonly idempotency_key?: string | null | undefined;
  readonly input_responses?: JsonObject | null | undefined;
  readonly request_state?: string | null | undefined;
  readonly accept_input?: readonly QuestionKind[] | null | undefined;
}

export function executionRoutes(deps: ExecutionDeps): readonly ExchangeRoute[] {
  const { plane, randomHex } = deps;
  const callTool = toExecutionRoute(deps, {
    kind: 'tool',
    path: '/v1/tools/call',
    schema: callCapabilityRequestSchema,
    targetOf: ({ capability_id, args }) => ({ id: capability_id, args }),
  });

  const callBatch: ExchangeRoute = {
    method: 'POST',
    path: '/v1/tools/batch_call',
    async handle(x) {
      const body = await readBody(x, batchCallRequestSchema);
      const caller = callerOf(x);
      plane.view(caller, 'tool'); // an unknown profile is refused as a whole, before any step
      const correlation = correlationOf(x, body, randomHex);
      const key = x.headers['idempotency-key'];
      const idempotencyKey = key ? parseKey(key) : body.idempotency_key || null;
      const batch = { steps: body.steps, correlation, caller, signal: x.abandonSignal(), idempotencyKey };
      return answerBatch(await plane.executeBatch(batch));
    },
  };

  const readResource = toExecutionRoute(deps, {
    kind: 'resource',
    path: '/v1/resources/read',
    schema: readResourceRequestSchema,
    targetOf: ({ resource_id }) => ({ id: resource_id, args: {} }),
  });

  const getPrompt = toExecutionRoute(deps, {
    kind: 'prompt',
    path: '/v1/prompts/get',
    schema: getPromptRequestSchema,
    targetOf: ({ prompt_id, arguments: args }) => ({ id: prompt_id, args: args ?? {} }),
  });

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

type Target = Pick<Call, 'id' | 'args'>;

interface Execution<S extends v.GenericSchema<unknown, ExecutionBody>> {
  readonly kind: CallKind;
  readonly path: string;
  readonly schema: S;
  readonly targetOf: (body: v.InferOutput<S>) => Target;
}

/** A route that executes what its body names. */
function toExecutionRoute<S extends v.GenericSchema<unknown, ExecutionBody>>(
  { plane, randomHex }: ExecutionDeps,
  { kind, path, schema, targetOf }: Execution<S>,
): ExchangeRoute {
  const answer = (outcome: Outcome) => answerOutcome(kind, outcome);
  const execute = (x: Exchange, bytes: Uint8Array) => {
    const body = parseBody(x, schema, bytes);
    const { prefer, 'idempotency-key': key } = x.headers;
    const { isAsync, waitMs } = prefer === undefined ? noPreferences : parsePreferences(prefer);
    const { id, args } = targetOf(body);
    const call: Call = {
      kind,
      id,
      args,
      correlation: correlationOf(x, body, randomHex),
      caller: callerOf(x),
      signal: x.abandonSignal(),
      idempotencyKey: key ? parseKey(key) : body.idempotency_key || null,
      approvalWaitMs: waitMs,
    };
    const isPlain = body.input_responses == null && !body.request_state && body.accept_input == null;
    const turn = isPlain ? call : turnOf(call, body);
    const running = isAsync ? plane.tasks.run(turn, true) : plane.execute(turn);
    return running.then(answer);
  };
  return {
    method: 'POST',
    path,
    handle(x) {
      const bytes = x.bytes();
      return bytes instanceof Promise ? bytes.then((read) => execute(x, read)) : execute(x, bytes);
    },
  };
}

/** Adds the caller's answers to earlier requests for input, and the kinds of input that it can give. */
function turnOf(call: Call, { input_responses, request_state, accept_input }: ExecutionBody): Call {
  return {
    ...call,
    ...(input_responses == null ? {} : { inputResponses: input_responses }),
    ...(request_state ? { requestState: request_state } : {}),
    ...(accept_input?.includes('roots') === true ? { acceptsRoots: true } : {}),
  };
}
