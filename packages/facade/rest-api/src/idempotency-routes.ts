// Records under idempotency keys, for the owners of the keys.
import { documentText, PorticoError } from '@portico/contracts';
import type { ControlPlane } from '@portico/control-plane';
import type { Hono } from 'hono';
import { send } from './answer.js';
import { pageOf } from './paging.js';
import { callerOf } from './request.js';
import { exchangeOf } from './web-exchange.js';

export function addIdempotencyRoutes(app: Hono, plane: ControlPlane): void {
  app.get('/v1/idempotency/records', async (c) => {
    const page = pageOf(c);
    const records = await plane.records(callerOf(exchangeOf(c)), page);
    return send(JSON.stringify({ ok: true, records, ...page }), 200);
  });

  // Keys hold any character, slashes included.
  app.get('/v1/idempotency/records/:key{[^]+}', async (c) => {
    const key = c.req.param('key');
    const record = await plane.record(callerOf(exchangeOf(c)), key);
    if (record === undefined) throw new PorticoError('RESOURCE_NOT_FOUND', `no idempotency record "${key}"`);
    return send(documentText({ ok: true, record }), 200);
  });
}
