// The lock of definitions: how it stands, what differs from it, and what a person accepts.
import { defaultDriftLimit, lockAcceptRequestSchema, lockVerifyRequestSchema } from '@portico/contracts';
import { type ControlPlane, DriftMoved } from '@portico/control-plane';
import type { Hono } from 'hono';
import { send } from './answer.js';
import { Conflict } from './approval-routes.js';
import { textOf } from './audit-query.js';
import { integerOf } from './paging.js';
import { authorOf, readBody } from './request.js';
import { exchangeOf } from './web-exchange.js';

export interface LockRoutesDeps {
  readonly plane: ControlPlane;
  readonly randomHex: (characters: number) => string;
}

export function addLockRoutes(app: Hono, { plane, randomHex }: LockRoutesDeps): void {
  const { lock } = plane;
  const answer = (body: object) => send(JSON.stringify({ ok: true, ...body }), 200);

  app.get('/v1/lock', () => answer(lock.status()));

  app.get('/v1/lock/drift', async (c) => {
    const limit = integerOf(c, 'limit', { fallback: defaultDriftLimit, min: 1, max: defaultDriftLimit });
    const offset = integerOf(c, 'offset', { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
    return answer(await lock.drift(textOf(c, 'server'), { limit, offset }));
  });

  app.post('/v1/lock/accept', async (c) => {
    const x = exchangeOf(c);
    const request = await readBody(x, lockAcceptRequestSchema);
    try {
      return answer(await lock.accept(request, authorOf(x, randomHex)));
    } catch (error) {
      throw error instanceof DriftMoved ? new Conflict(error.message) : error;
    }
  });

  app.post('/v1/lock/verify', async (c) => {
    const { lock: text } = await readBody(exchangeOf(c), lockVerifyRequestSchema);
    return answer(await lock.verify(text));
  });
}
