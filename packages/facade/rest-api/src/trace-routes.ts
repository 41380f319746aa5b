// Explanations of calls: admins see all of them, others those of their own calls.
import { auditStatuses, documentText, PorticoError } from '@portico/contracts';
import type { ControlPlane } from '@portico/control-plane';
import type { Hono } from 'hono';
import { send } from './answer.js';
import { oneOf, textOf, timeOf } from './audit-query.js';
import { pageOf } from './paging.js';
import { ownerOf } from './request.js';
import { exchangeOf } from './web-exchange.js';

export function addTraceRoutes(app: Hono, plane: ControlPlane): void {
  const { traces } = plane;

  app.get('/v1/traces', async (c) => {
    const { limit } = pageOf(c);
    const query = {
      limit,
      sinceMs: timeOf(c, 'since'),
      client: textOf(c, 'client'),
      status: oneOf(c, 'status', auditStatuses),
    };
    const found = await traces.list(query, ownerOf(exchangeOf(c), plane));
    return send(documentText({ ok: true, ...found }), 200);
  });

  app.get('/v1/traces/:id{[^]+}/explain', async (c) => {
    const id = c.req.param('id') ?? '';
    const owner = ownerOf(exchangeOf(c), plane);
    const explanation = await traces.explain(id, owner);
    if (explanation === undefined) throw unknownTrace(id);
    const { trace_id: traceId } = explanation;
    const frames = traceId == null ? undefined : plane.inspector.ofTrace(traceId, owner);
    return send(documentText({ ok: true, explanation, ...(frames === undefined ? {} : { frames }) }), 200);
  });
}

function unknownTrace(id: string): PorticoError {
  const message = `no audit record of a call has the trace, approval, record or request "${id}"; GET /v1/traces lists the latest traces`;
  return new PorticoError('RESOURCE_NOT_FOUND', message);
}
