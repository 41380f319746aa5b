// Tool calls, resource reads, prompts and completions: parse, correlate, hand over, answer.
import {
  batchCallRequestSchema,
  callCapabilityRequestSchema,
  completionRequestSchema,
  getPromptRequestSchema,
  PorticoError,
  readResourceRequestSchema,
} from '@portico/contracts';
import type { Call, CallKind, ControlPlane } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { abandonSignal } from './abandon.js';
import { send, sendEnvelope, sendRefusal } from './answer.js';
import { readBody } from './body.js';
import { type CorrelatedBody, correlationOf } from './correlation.js';
import { profileOf } from './profile.js';

export interface ExecutionDeps {
  readonly plane: ControlPlane;
  readonly randomHex: (characters: number) => string;
}

export function addExecutionRoutes(app: Hono, { plane, randomHex }: ExecutionDeps): void {
  const execute = async (c: Context, kind: CallKind, body: CorrelatedBody, what: Pick<Call, 'id' | 'args'>) => {
    refuseUnavailable(c);
    const correlation = correlationOf(c, body, randomHex);
    const call = { kind, ...what, correlation, profile: profileOf(c), signal: abandonSignal(c) };
    return sendEnvelope(c, await plane.execute(call));
  };

  app.post('/v1/tools/call', async (c) => {
    const body = await readBody(c, callCapabilityRequestSchema);
    return execute(c, 'tool', body, { id: body.capability_id, args: body.args });
  });

  app.post('/v1/tools/batch_call', async (c) => {
    const body = await readBody(c, batchCallRequestSchema);
    refuseUnavailable(c);
    const profile = profileOf(c);
    plane.view(profile, 'tool'); // an unknown profile is refused as a whole, before any step
    const correlation = correlationOf(c, body, randomHex);
    const batch = { steps: body.steps, correlation, profile, signal: abandonSignal(c) };
    return send(c, JSON.stringify(await plane.executeBatch(batch)), 200);
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
      const data = await plane.complete({ request, correlation, profile: profileOf(c), signal: abandonSignal(c) });
      return send(c, JSON.stringify({ ok: true, trace_id: correlation.traceId, data }), 200);
    } catch (error) {
      if (!(error instanceof PorticoError)) throw error;
      return sendRefusal(c, correlation, error);
    }
  });
}

/** A promise that this version cannot keep is refused, not ignored. */
function refuseUnavailable(c: Context): void {
  if (c.req.header('Idempotency-Key') !== undefined) {
    throw new PorticoError(
      'INVALID_ARGS',
      'Idempotency-Key is not available in this version of Portico; leave the header out',
    );
  }
}
