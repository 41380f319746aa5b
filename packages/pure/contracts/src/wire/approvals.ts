// Approval tickets as operators see them, and the decisions they post.
import * as v from 'valibot';
import { jsonObjectSchema } from '../json.js';
import { type ApprovalView, approvalViewSchema } from './approval-view.js';
import { sourceEntries } from './audit.js';
import type { Envelope } from './envelope.js';
import { type GrantOffer, grantOfferSchema, grantRequestSchema } from './grants.js';

const epochSecs = v.pipe(v.number(), v.integer(), v.description('Unix seconds'));

/** States of an approval ticket; `pending` is the only one that can change. */
export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired'] as const;

/** How a ticket stands, as the tool `approval_status` answers over MCP. */
export const approvalStatusSchema = v.object({
  status: v.picklist(approvalStatuses),
  operator: v.optional(v.string()),
  decided_by: v.optional(v.pipe(v.string(), v.description('The proven identity of the decider'))),
  timestamp: v.optional(epochSecs),
  reason: v.optional(v.string()),
  modified_args: v.optional(jsonObjectSchema),
});
export type ApprovalStatus = v.InferOutput<typeof approvalStatusSchema>;

const ticketEntries = {
  id: v.pipe(v.string(), v.description('appr-<Unix seconds>-<counter>')),
  kind: v.picklist(['tool', 'resource', 'prompt']),
  capability_id: v.string(),
  server_id: v.string(),
  sanitized_args: v.pipe(jsonObjectSchema, v.description('`args` without the keys that are redacted')),
  status: approvalStatusSchema,
  created_at: epochSecs,
  expires_at: epochSecs,
  request_id: v.nullable(v.string()),
  ...sourceEntries,
  rule: v.optional(v.pipe(v.string(), v.description('The rule by which it waits, as in `require_approval:github.*`'))),
  view: v.pipe(approvalViewSchema, v.description('The view for a person, the same in every channel')),
};

/** An approval ticket as it is shown; times in seconds since the Unix epoch. */
export const approvalTicketSchema = v.object({
  ...ticketEntries,
  args: jsonObjectSchema,
  result: v.optional(v.pipe(jsonObjectSchema, v.description('Envelope of the approved call, once it is there'))),
  grant_offer: v.optional(
    v.pipe(
      grantOfferSchema,
      v.description('The grant that the approval may be kept as; only for one ticket, while it is pending'),
    ),
  ),
});
export interface ApprovalTicket
  extends Omit<v.InferOutput<typeof approvalTicketSchema>, 'result' | 'view' | 'grant_offer'> {
  readonly view: ApprovalView;
  readonly result?: Envelope;
  readonly grant_offer?: GrantOffer | undefined;
}

/** Answer of `GET /v1/approvals`. */
export const approvalsListSchema = v.object({
  ok: v.literal(true),
  approvals: v.array(approvalTicketSchema),
  total: v.pipe(v.number(), v.integer(), v.description('All tickets that match, on every page')),
});

/** Answer of `GET /v1/approvals/{id}`, `POST /v1/approvals/{id}/reject`. */
export const approvalAnswerSchema = v.object({ ok: v.literal(true), approval: approvalTicketSchema });

/** Answer of `POST /v1/approvals/{id}/approve`. */
export const approvedAnswerSchema = v.object({
  ok: v.literal(true),
  approval: approvalTicketSchema,
  result: v.pipe(
    v.nullable(jsonObjectSchema),
    v.description('Envelope of the approved call; null when it takes longer than toolTimeoutMs, as with progress'),
  ),
  grant_id: v.optional(v.pipe(v.string(), v.description('The grant that was made with the approval'))),
});

const operator = v.pipe(v.string(), v.minLength(1), v.maxLength(1024));

/** Body of `POST /v1/approvals/{id}/approve`. */
export const approveRequestSchema = v.object({
  operator,
  modified_args: v.optional(v.nullable(jsonObjectSchema)),
  grant: v.optional(
    v.pipe(v.nullable(grantRequestSchema), v.description('Keeps the approval for later calls; see `grant_offer`')),
  ),
  definition_digest: v.optional(
    v.pipe(
      v.nullable(v.string()),
      v.description(
        '`view.definition_digest` as it was shown; 409 where it is another by now, or asked again without it',
      ),
    ),
  ),
});

/** Body of `POST /v1/approvals/{id}/reject`. */
export const rejectRequestSchema = v.object({
  operator,
  reason: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(10_000)))),
});

/** Events of a ticket that webhooks report. */
export const approvalEvents = [
  'approval.created',
  'approval.approved',
  'approval.rejected',
  'approval.expired',
] as const;

/** Body of the webhook about a ticket. */
export const approvalNoticeSchema = v.object({
  event: v.picklist(approvalEvents),
  timestamp: epochSecs,
  trace_id: v.string(),
  approval: v.object(ticketEntries),
  link: v.optional(
    v.pipe(v.string(), v.description('Opens the ticket in the console, after signing in; absent without a console')),
  ),
});
export interface ApprovalNotice extends Omit<v.InferOutput<typeof approvalNoticeSchema>, 'approval'> {
  readonly approval: Omit<ApprovalTicket, 'args' | 'result' | 'grant_offer'>;
}

/** Ticket ids are no secret and hold no character that a URL would change. */
export function approvalPath(id: string): string {
  return `/v1/approvals/${id}`;
}
