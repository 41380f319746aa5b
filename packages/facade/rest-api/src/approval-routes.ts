// Approval tickets: what waits for people, and their decisions.
import {
  type ApprovalView,
  approvalPath,
  approvalStatuses,
  approveRequestSchema,
  changeLines,
  documentText,
  type ErrorReason,
  gatherExact,
  type grantRequestSchema,
  PorticoError,
  rejectRequestSchema,
} from '@portico/contracts';
import type { ApprovalQuery, ControlPlane, Decision } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import type * as v from 'valibot';
import { send } from './answer.js';
import type { Exchange } from './exchange.js';
import { pageOf } from './paging.js';
import { authorOf, identityOf, ownerOf, readBody } from './request.js';
import { exchangeOf } from './web-exchange.js';

export interface ApprovalRoutesDeps {
  readonly plane: ControlPlane;
  readonly randomHex: (characters: number) => string;
}

export function addApprovalRoutes(app: Hono, { plane, randomHex }: ApprovalRoutesDeps): void {
  const { approvals } = plane;

  app.get('/v1/approvals', async (c) => {
    const owner = ownerOf(exchangeOf(c), plane);
    const mine = owner === undefined ? {} : { principal: owner.principal };
    const page = await approvals.list({ ...pageOf(c), ...statusOf(c), ...mine });
    const listed = gatherExact([...page.approvals]);
    return send(documentText({ ok: true, ...page, approvals: listed }), 200);
  });

  app.get('/v1/approvals/:id', async (c) => {
    const id = c.req.param('id');
    const approval = await approvals.get(id, ownerOf(exchangeOf(c), plane));
    if (approval === undefined) throw unknownTicket(id);
    return send(documentText({ ok: true, approval }), 200);
  });

  const toGrant = (x: Exchange, { ttl_secs: ttlSecs, uses, keep }: v.InferOutput<typeof grantRequestSchema>) => ({
    ttlSecs,
    uses,
    keep: keep ?? undefined,
    by: authorOf(x, randomHex),
  });

  app.post('/v1/approvals/:id/approve', async (c) => {
    const id = c.req.param('id');
    const x = exchangeOf(c);
    const { operator, modified_args, definition_digest: definition, grant } = await readBody(x, approveRequestSchema);
    const decidedBy = identityOf(x).actor;
    const how = grant == null ? { decidedBy, definition } : { decidedBy, definition, grant: toGrant(x, grant) };
    const { approval, result, grantId } = decided(
      id,
      await approvals.approve(id, operator, modified_args ?? null, how),
    );
    return send(documentText({ ok: true, approval, result, grant_id: grantId }), 200);
  });

  app.post('/v1/approvals/:id/reject', async (c) => {
    const id = c.req.param('id');
    const { operator, reason } = await readBody(exchangeOf(c), rejectRequestSchema);
    const { approval } = decided(
      id,
      await approvals.reject(id, operator, reason ?? null, identityOf(exchangeOf(c)).actor),
    );
    return send(documentText({ ok: true, approval }), 200);
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

/** @throws PorticoError RESOURCE_NOT_FOUND, Conflict, DefinitionChanged */
function decided(id: string, decision: Decision): Extract<Decision, { readonly kind: 'decided' }> {
  switch (decision.kind) {
    case 'decided':
      return decision;
    case 'not_pending':
      throw new Conflict(`approval ${id} is not pending: it is ${decision.approval.status.status}`);
    case 'definition_changed':
      throw new DefinitionChanged(id, decision.approval.view);
    case 'unknown':
      throw unknownTicket(id);
  }
}

/** Answered with 409: the request is right, but the state it needs has ended. */
export class Conflict extends PorticoError {
  constructor(message: string) {
    super('INVALID_ARGS', message);
  }
}

/** Answered with 409: the ticket asks about another definition than the one that was shown, and waits still. */
export class DefinitionChanged extends PorticoError {
  readonly approvalId: string;
  readonly reason: ErrorReason = 'definition_changed';
  readonly hint: string;

  constructor(id: string, view: ApprovalView) {
    super('APPROVAL_PENDING', `approval ${id} was not given: ${toText(view)}`);
    this.approvalId = id;
    this.hint = `look at GET ${approvalPath(id)}, and approve it with the definition_digest of its view, or reject it`;
  }
}

const maxDiffChars = 2000;

function toText(view: ApprovalView): string {
  if (!view.reasked) return 'it asks about another definition than the one that was shown';
  const text = changeLines(view).join('\n');
  return `its definition changed since it was opened\n${text.length > maxDiffChars ? `${text.slice(0, maxDiffChars)}…` : text}`;
}

function unknownTicket(id: string): PorticoError {
  return new PorticoError('RESOURCE_NOT_FOUND', `no approval "${id}"`);
}
