// Grants: listed, shown and revoked. They are made with the approval of a ticket.
import { documentText, gatherExact, PorticoError } from '@portico/contracts';
import type { ControlPlane, GrantListQuery } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { send } from './answer.js';
import { Conflict } from './approval-routes.js';
import { pageOf } from './paging.js';
import { authorOf } from './request.js';
import { exchangeOf } from './web-exchange.js';

export interface GrantRoutesDeps {
  readonly plane: ControlPlane;
  readonly randomHex: (characters: number) => string;
}

export function addGrantRoutes(app: Hono, { plane, randomHex }: GrantRoutesDeps): void {
  app.get('/v1/grants', async (c) => {
    const { grants, total } = await plane.grants.list({ ...pageOf(c), state: stateOf(c) });
    return send(documentText({ ok: true, grants: gatherExact([...grants]), total }), 200);
  });

  app.get('/v1/grants/:id', async (c) => {
    const id = c.req.param('id');
    const grant = await plane.grants.get(id);
    if (grant === undefined) throw unknownGrant(id);
    return send(documentText({ ok: true, grant }), 200);
  });

  app.delete('/v1/grants/:id', async (c) => {
    const id = c.req.param('id');
    const revoked = await plane.grants.revoke(id, authorOf(exchangeOf(c), randomHex));
    if (revoked.kind === 'unknown') throw unknownGrant(id);
    if (revoked.kind === 'ended') throw new Conflict(`grant ${id} has ended: it is ${revoked.grant.state}`);
    return send(documentText({ ok: true, grant: revoked.grant }), 200);
  });
}

const states: readonly GrantListQuery['state'][] = ['active', 'ended', 'all'];

/** @throws PorticoError INVALID_ARGS */
function stateOf(c: Context): GrantListQuery['state'] {
  const text = c.req.query('state') ?? 'active';
  const state = states.find((known) => known === text);
  if (state !== undefined) return state;
  throw new PorticoError('INVALID_ARGS', `query state: expected one of ${states.join(', ')}`);
}

function unknownGrant(id: string): PorticoError {
  return new PorticoError('RESOURCE_NOT_FOUND', `no grant "${id}"`);
}
