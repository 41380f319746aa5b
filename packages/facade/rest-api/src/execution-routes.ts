// Tool calls, resource reads, prompts and completions: parse, correlate, hand over, answer.
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
import type { Context, Hono } from 'hono';
import { abandonSignal } from './abandon.js';
import { send, sendOutcome, sendRefusal, sendValue } from './answer.js';
import { readBody } from './body.js';
import { callerOf } from './caller.js';
import { type CorrelatedBody, correlationOf } from './correlation.js';
import { keyHeader, preferredWaitMs, prefersAsync } from './execution-headers.js';

export interface ExecutionDeps {
  readonly plane: ControlPlane;
  readonly randomHex: (characters: number) => string;
}

interface ExecutionBody extends CorrelatedBody {
  readonly idempotency_key?: string | null | undefined;
  readonly input_responses?: JsonObject | null | undefined;
  readonly request_state?: string | null | undefined;
}

export function addExecutionRoutes(app: Hono, { plane, randomHex }: ExecutionDeps): void {
  const execute = async (c: Context, kind: CallKind, body: ExecutionBody, what: Pick<Call, 'id' | 'args'>) => {
    const call: Call = {
      kind,
      ...what,
      correlation: correlationOf(c, body, randomHex),
      caller: callerOf(c),
      signal: abandonSignal(c),
      idempotencyKey: keyHeader(c) ?? body.idempotency_key ?? null,
      approvalWaitMs: preferredWaitMs(c),
      ...turnOf(body),
    };
    const outcome = prefersAsync(c) ? await plane.tasks.run(call, true) : await plane.execute(call);
    return sendOutcome(kind, outcome);
  };

  app.post('/v1/tools/call', async (c) => {
    const body = await readBody(c, callCapabilityRequestSchema);
    return execute(c, 'tool', body, { id: body.capability_id, args: body.args });
  });

  app.post('/v1/tools/batch_call', async (c) => {
    const body = await readBody(c, batchCallRequestSchema);
    const caller = callerOf(c);
    plane.view(caller, 'tool'); // an unknown profile is refused as a whole, before any step
    const correlation = correlationOf(c, body, randomHex);
    const idempotencyKey = keyHeader(c) ?? body.idempotency_key ?? null;
    const batch = { steps: body.steps, correlation, caller, signal: abandonSignal(c), idempotencyKey };
    return sendValue(await plane.executeBatch(batch), 200);
  });

  app.post('/v1/resources/read', async (c) => {
    const body = await readBody(c, readResourceRequestSchema);
    return execute(c, 'resource', body, { id: body.resource_id, args: {} });
  });

  app.post('/v1/prompts/get', async (c) => {
    const body = await readBody(c, getPromptRequestSchema);
    return execute(c, 'prompt', body, { id: body.prompt_id, args: body.arguments ?? {} });
  });

  app.post('/v1/completion/complete', async (c) => {
    const request = await readBody(c, completionRequestSchema);
    const correlation = correlationOf(c, {}, randomHex);
    try {
      const data = await plane.complete({ request, correlation, caller: callerOf(c), signal: abandonSignal(c) });
      return send(JSON.stringify({ ok: true, trace_id: correlation.traceId, data }), 200);
    } catch (error) {
      if (!(error instanceof PorticoError)) throw error;
      return sendRefusal(correlation, error);
    }
  });

  // Request ids hold any character, slashes included.
  app.post('/v1/operations/:id{[^]+}/cancel', async (c) => {
    const requestId = c.req.param('id');
    const cancelled = await plane.cancel(callerOf(c).principal, requestId);
    return send(JSON.stringify({ ok: true, request_id: requestId, cancelled }), 200);
  });
}

/** What a caller brings that comes back with answers. */
function turnOf({ input_responses, request_state }: ExecutionBody): Pick<Call, 'inputResponses' | 'requestState'> {
  return {
    ...(input_responses == null ? {} : { inputResponses: input_responses }),
    ...(request_state == null ? {} : { requestState: request_state }),
  };
}
