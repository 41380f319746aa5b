// The last calls, and how many there were lately, as they are read over HTTP.
import * as v from 'valibot';
import { actorKinds, auditStatuses, sourceEntries } from './audit.js';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.optional(v.string());

/** Calls that are kept at most. */
export const maxRecentCalls = 500;
/** Characters of a call's arguments that are shown. */
export const maxShownArguments = 2000;

/** A call that begins to wait for approval leaves `approval_created`. */
export const callTypes = [
  'tool_call',
  'resource_read',
  'prompt_get',
  'policy_violation',
  'idempotent_replay',
  'approval_created',
] as const;

/** One call of the activity feed: agent, capability, redacted arguments, outcome; the duration is in microseconds. */
export const recentCallSchema = v.object({
  id: v.pipe(v.string(), v.description('The id of its audit record: `GET /v1/audit/events/{id}` has all of it')),
  timestamp: v.pipe(v.string(), v.description('When it ended. RFC 3339 in UTC, to the millisecond')),
  event_type: v.picklist(callTypes),
  status: v.picklist(auditStatuses),
  ...sourceEntries,
  actor_id: text,
  actor_kind: v.optional(v.picklist(actorKinds)),
  role: text,
  profile: text,
  server_id: text,
  capability_id: text,
  arguments: v.optional(
    v.pipe(
      v.string(),
      v.description(`JSON text of the redacted arguments, of which the first ${maxShownArguments} characters are kept`),
    ),
  ),
  arguments_truncated: v.optional(v.pipe(v.literal(true), v.description('Present where the text was cut'))),
  error_code: text,
  rule: text,
  duration_us: v.optional(v.pipe(count, v.description('Microseconds'))),
  approval_id: text,
  trace_id: text,
});
/** A call that has ended, as its audit record has it. */
export type RecentCall = Readonly<v.InferOutput<typeof recentCallSchema>>;

/** Answer of `GET /v1/activity`. */
export const activityListSchema = v.object({
  ok: v.literal(true),
  calls: v.pipe(v.array(recentCallSchema), v.description('Newest first')),
  cursor: v.pipe(
    v.string(),
    v.description('The newest call that was looked at: `Last-Event-ID` of `GET /v1/activity/stream` goes on behind it'),
  ),
  recorded: v.pipe(
    v.boolean(),
    v.description('Whether calls are recorded at all; false with `audit.enabled: false`, where `calls` stays empty'),
  ),
});

/** Periods that the charts of activity cover. */
export const activityRanges = ['1h', '24h'] as const;
export type ActivityRange = (typeof activityRanges)[number];

const latency = (what: string) =>
  v.pipe(v.nullable(v.number()), v.description(`${what} duration of its calls in milliseconds; null without calls`));

const percentile = (rank: string) =>
  v.pipe(
    v.nullable(v.number()),
    v.description(
      `${rank} percentile of the durations of its calls in milliseconds, within 6.25 %, or 4 µs below 64 µs; null without calls`,
    ),
  );

/** Counts of calls within one interval of a chart. */
export const activityPointSchema = v.object({
  start: v.pipe(v.string(), v.description('Start of the interval, RFC 3339 in UTC')),
  calls: count,
  failures: v.pipe(
    count,
    v.description(
      'Calls that ended with an error, or whose tool reported one; calls that wait for approval do not count',
    ),
  ),
  mean_ms: latency('Mean'),
  p50_ms: percentile('50th'),
  p95_ms: percentile('95th'),
  max_ms: latency('Longest'),
});
export type ActivityPoint = Readonly<v.InferOutput<typeof activityPointSchema>>;

/** Answer of `GET /v1/activity/series`. */
export const activitySeriesSchema = v.object({
  ok: v.literal(true),
  range: v.picklist(activityRanges),
  step_secs: v.pipe(count, v.description('Length of an interval: 10 for `1h`, 300 for `24h`')),
  points: v.pipe(
    v.array(activityPointSchema),
    v.description('Oldest first, without gaps, from the start of the daemon on; the last one is not over yet'),
  ),
});
