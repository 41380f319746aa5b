// The receivers of notices as operators see them, and what a test message came to.
import * as v from 'valibot';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Receivers that notices are written for. */
export const noticeFormats = ['ntfy', 'slack', 'telegram'] as const;

/** A receiver of notices: what it got, what failed, and the last error. */
export const noticeStandingSchema = v.object({
  name: v.string(),
  format: v.picklist(noticeFormats),
  origin: v.pipe(v.string(), v.description('Scheme, host and port of its address; the rest may be secret')),
  delivered: v.pipe(count, v.description('Notices since the start that were delivered')),
  failed: v.pipe(count, v.description('Notices since the start that were given up')),
  last_error: v.pipe(
    v.nullable(v.string()),
    v.description('Why the last notice was given up; null if it was delivered, or there was none'),
  ),
});
export type NoticeStanding = Readonly<v.InferOutput<typeof noticeStandingSchema>>;

/** Answer of `GET /v1/notices`. */
export const noticesListSchema = v.object({
  ok: v.literal(true),
  link_base: v.pipe(
    v.nullable(v.string()),
    v.description('Origin that links to tickets start with: `approvals.publicUrl`, else where the daemon listens'),
  ),
  receivers: v.array(noticeStandingSchema),
});

/** Body of `POST /v1/notices/test`. */
export const noticeTestRequestSchema = v.object({
  name: v.optional(v.nullable(v.pipe(v.string(), v.description('One receiver; all of them without it')))),
});

/** The outcome of a test notice to one receiver. */
export const noticeTrialSchema = v.object({
  name: v.string(),
  format: v.picklist(noticeFormats),
  origin: v.string(),
  delivered: v.boolean(),
  status: v.pipe(v.nullable(count), v.description('HTTP status of the answer; null without one')),
  message: v.pipe(
    v.string(),
    v.description('The answer of the service, at most 500 characters, or why there was none'),
  ),
});
export type NoticeTrial = Readonly<v.InferOutput<typeof noticeTrialSchema>>;

/** Answer of `POST /v1/notices/test`. */
export const noticesTestedSchema = v.object({ ok: v.literal(true), trials: v.array(noticeTrialSchema) });
