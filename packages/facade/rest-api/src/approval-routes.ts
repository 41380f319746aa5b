// Approval tickets: what waits for people, and their decisions.
import { approvalStatuses, approveRequestSchema, PorticoError, rejectRequestSchema } from '@portico/contracts';
import type { ApprovalQuery, ControlPlane, Decision } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { send } from './answer.js';
import { readBody } from './body.js';
import { identityOf, ownerOf } from './caller.js';
import { pageOf } from './paging.js';
import { exchangeOf } from './web-exchange.js';

export function addApprovalRoutes(app: Hono, plane: ControlPlane): void {
  const { approvals } = plane;

  app.get('/v1/approvals', async (c) => {
    const owner = ownerOf(exchangeOf(c), plane);
    const mine = owner === undefined ? {} : { principal: owner.principal };
    const page = await approvals.list({ ...pageOf(c), ...statusOf(c), ...mine });
    return send(JSON.stringify({ ok: true, ...page }), 200);
  });

  app.get('/v1/approvals/:id', async (c) => {
    const id = c.req.param('id');
    const approval = await approvals.get(id, ownerOf(exchangeOf(c), plane));
    if (approval === undefined) throw unknownTicket(id);
    return send(JSON.stringify({ ok: true, approval }), 200);
  });

  app.post('/v1/approvals/:id/approve', async (c) => {
    const id = c.req.param('id');
    const { operator, modified_args } = await readBody(exchangeOf(c), approveRequestSchema);
    const { approval, result } = decided(
      id,
      await approvals.approve(id, operator, modified_args ?? null, identityOf(exchangeOf(c)).actor),
    );
    return send(JSON.stringify({ ok: true, approval, result }), 200);
  });

  app.post('/v1/approvals/:id/reject', async (c) => {
    const id = c.req.param('id');
    const { operator, reason } = await readBody(exchangeOf(c), rejectRequestSchema);
    const { approval } = decided(
      id,
      await approvals.reject(id, operator, reason ?? null, identityOf(exchangeOf(c)).actor),
    );
    return send(JSON.stringify({ ok: true, approval }), 200);
  });
}

/** @throws PorticoError INVALID_ARGS */
function statusOf(c: Context): Pick<ApprovalQuery, 'status'> {
  const text = c.req.query('status');
  if (text === undefined) return {};
  const status = approvalStatuses.find((known) => known === text);
  if (status !== undefined) return { status };
  throw new PorticoError('INVALID_ARGS', `query status: expected one of ${approvalStatuses.join(', ')}`);
}

/** @throws PorticoError RESOURCE_NOT_FOUND, Conflict */
function decided(id: string, decision: Decision): Extract<Decision, { readonly kind: 'decided' }> {
  switch (decision.kind) {
    case 'decided':
      return decision;
    case 'not_pending':
      throw new Conflict(`approval ${id} is not pending: it is ${decision.approval.status.status}`);
    case 'unknown':
      throw unknownTicket(id);
  }
}

/** Answered with 409: the request is right, but the state it needs is gone. */
export class Conflict extends PorticoError {
  constructor(message: string) {
    super('INVALID_ARGS', message);
  }
}

function unknownTicket(id: string): PorticoError {
  return new PorticoError('RESOURCE_NOT_FOUND', `no approval "${id}"`);
}
