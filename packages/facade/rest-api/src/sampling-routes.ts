// Sampling tickets: asking for a message of a model in the name of a server, and answering what was asked for.
import {
  createMessageRequestSchema,
  type JsonObject,
  type Message,
  PorticoError,
  respondBodySchema,
  samplingPath,
  samplingStatuses,
} from '@portico/contracts';
import type { ControlPlane, SamplingListQuery } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { send } from './answer.js';
import { oneOf, textOf } from './audit-query.js';
import { noPreferences, parsePreferences } from './execution-headers.js';
import { pageOf } from './paging.js';
import { callerOf, correlationOf, ownerOf, readBody } from './request.js';
import { exchangeOf } from './web-exchange.js';

export interface SamplingRouteDeps {
  readonly plane: ControlPlane;
  readonly randomHex: (characters: number) => string;
}

export function addSamplingRoutes(app: Hono, { plane, randomHex }: SamplingRouteDeps): void {
  const { sampling } = plane;

  app.post('/v1/sampling/create_message', async (c) => {
    const { server_id, messages, max_tokens } = await readBody(exchangeOf(c), createMessageRequestSchema);
    const correlation = correlationOf(exchangeOf(c), {}, randomHex);
    const request = { serverId: server_id, messages, maxTokens: max_tokens ?? null, correlation };
    const { prefer } = exchangeOf(c).headers;
    const { isAsync } = prefer === undefined ? noPreferences : parsePreferences(prefer);
    const ticket = await sampling.create(
      { ...request, caller: callerOf(exchangeOf(c)), signal: exchangeOf(c).abandonSignal() },
      !isAsync,
    );
    const answer = (data: JsonObject) => JSON.stringify({ ok: true, trace_id: correlation.traceId, data });
    if (ticket.result !== undefined) return send(answer(ticket.result), 200);
    const { id: ticket_id, status } = ticket;
    return send(answer({ ticket_id, status }), 202, { Location: samplingPath(ticket_id) });
  });

  app.get('/v1/sampling/requests', async (c) => {
    const owner = ownerOf(exchangeOf(c), plane);
    const mine = owner === undefined ? {} : { principal: owner.principal };
    const page = await sampling.list({ ...pageOf(c), ...filterOf(c), ...mine });
    return send(JSON.stringify({ ok: true, ...page }), 200);
  });

  app.get('/v1/sampling/requests/:id', async (c) => {
    const id = c.req.param('id');
    const request = await sampling.get(id, ownerOf(exchangeOf(c), plane)?.principal);
    if (request === undefined) throw new PorticoError('RESOURCE_NOT_FOUND', `no sampling request "${id}"`);
    return send(JSON.stringify({ ok: true, request }), 200);
  });

  app.post('/v1/sampling/requests/:id/respond', async (c) => {
    const id = c.req.param('id');
    const request = await sampling.respond(id, messageIn(await readBody(exchangeOf(c), respondBodySchema)));
    if (request === undefined) throw new PorticoError('RESOURCE_NOT_FOUND', `no pending sampling request "${id}"`);
    return send(JSON.stringify({ ok: true, request }), 200);
  });
}

function messageIn(body: Message | { readonly result: Message }): Message {
  return 'result' in body ? body.result : body;
}

/** @throws PorticoError INVALID_ARGS */
function filterOf(c: Context): Pick<SamplingListQuery, 'status' | 'serverId'> {
  const status = oneOf(c, 'status', samplingStatuses);
  const serverId = textOf(c, 'server_id');
  return { ...(status === undefined ? {} : { status }), ...(serverId === undefined ? {} : { serverId }) };
}
