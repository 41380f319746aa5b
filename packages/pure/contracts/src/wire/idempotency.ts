// Idempotency records as they are listed, and the answer to a cancel.
import * as v from 'valibot';
import { jsonObjectSchema } from '../json.js';

const epochSecs = v.pipe(v.number(), v.integer(), v.description('Unix seconds'));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A stored key: what it answered, and how often that was replayed; times in seconds since the Unix epoch. */
export const idempotencyRecordSchema = v.object({
  key: v.string(),
  response: v.pipe(
    jsonObjectSchema,
    v.description('Stored envelope; while the call runs, the one that stands if its outcome is never learnt'),
  ),
  created_at_epoch_secs: epochSecs,
  completed_at_epoch_secs: v.nullable(epochSecs),
  replay_count: count,
  capability_id: v.nullable(v.string()),
  first_trace_id: v.nullable(v.string()),
});
export type IdempotencyRecord = v.InferOutput<typeof idempotencyRecordSchema>;

/** Answer of `GET /v1/idempotency/records`. */
export const idempotencyListSchema = v.object({
  ok: v.literal(true),
  records: v.array(idempotencyRecordSchema),
  limit: count,
  offset: count,
});

/** Answer of `GET /v1/idempotency/records/{key}`. */
export const idempotencyAnswerSchema = v.object({ ok: v.literal(true), record: idempotencyRecordSchema });

/** Answer of `POST /v1/operations/{id}/cancel`. */
export const cancelAnswerSchema = v.object({
  ok: v.literal(true),
  request_id: v.string(),
  cancelled: v.pipe(v.boolean(), v.description('Whether there was anything in flight under this request id')),
});
