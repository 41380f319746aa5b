// Budgets: how full they are, and emptying them.
import { budgetResetRequestSchema } from '@portico/contracts';
import type { ControlPlane } from '@portico/control-plane';
import type { Hono } from 'hono';
import { send } from './answer.js';
import { authorOf, readBody } from './request.js';
import { exchangeOf } from './web-exchange.js';

export interface BudgetRoutesDeps {
  readonly plane: ControlPlane;
  readonly randomHex: (characters: number) => string;
}

export function addBudgetRoutes(app: Hono, { plane, randomHex }: BudgetRoutesDeps): void {
  app.get('/v1/budgets', async () => send(JSON.stringify({ ok: true, ...(await plane.budgets.list()) }), 200));

  app.post('/v1/budgets/:id/reset', async (c) => {
    const x = exchangeOf(c);
    const { scope } = await readBody(x, budgetResetRequestSchema);
    const id = c.req.param('id');
    const reset = await plane.budgets.reset(id, scope ?? undefined, authorOf(x, randomHex));
    return send(JSON.stringify({ ok: true, id, reset }), 200);
  });
}
