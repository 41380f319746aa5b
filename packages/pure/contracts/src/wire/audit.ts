// The audit log as it is read over HTTP. The package that seals records defines their meaning.
import * as v from 'valibot';
import { jsonObjectSchema } from '../json.js';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.optional(v.string());

/** Kinds of audit records. */
export const auditEventTypes = [
  'tool_call',
  'resource_read',
  'prompt_get',
  'approval_created',
  'approval_approved',
  'approval_rejected',
  'approval_expired',
  'policy_violation',
  'config_change',
  'idempotent_replay',
  'sampling',
  'auth_failure',
  'audit_gap',
  'service_start',
  'service_stop',
] as const;
export type AuditEventType = (typeof auditEventTypes)[number];

/** How the recorded action ended; `intercepted` is a call that waits for an approval or asked its caller. */
export const auditStatuses = ['success', 'failed', 'denied', 'intercepted', 'cancelled'] as const;
export type AuditStatus = (typeof auditStatuses)[number];

/** Kinds of actors, by how they were authenticated. */
export const actorKinds = ['jwt', 'token', 'anonymous', 'auth_token', 'operator', 'local', 'other_user'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** The entry point of a request. Where several kinds of client share one, the client names its kind. */
export const auditChannels = ['stdio', 'mcp-http', 'http', 'cli', 'ui'] as const;
export type AuditChannel = (typeof auditChannels)[number];

/** Characters that a client's name or version has at most, wherever it is shown. */
export const maxClientName = 64;

/** The self-declared name of a client: MCP `clientInfo`, or the name and version of its `User-Agent`. */
export const clientNameSchema = v.object({ name: v.string(), version: v.optional(v.string()) });
/** A program, as it names itself. */
export type ClientName = Readonly<v.InferOutput<typeof clientNameSchema>>;

/** The source of a call, as it names itself, in records, tickets and tasks. */
export const sourceEntries = {
  client: v.optional(
    v.pipe(
      clientNameSchema,
      v.description(
        'The program that asked, as it names itself, which proves nothing: `clientInfo` over MCP, over HTTP the header `X-Service-Client`, else the first product of `User-Agent`. Each text has at most 64 characters, no control characters, and no secret that is known',
      ),
    ),
  ),
  channel: v.optional(
    v.pipe(
      v.picklist(auditChannels),
      v.description(
        'How it came: MCP over `stdio` or HTTP (`mcp-http`), the HTTP API (`http`), the command (`cli`) or the console (`ui`); the last two as the client says',
      ),
    ),
  ),
};

const digest = (of: string) => v.optional(v.pipe(v.string(), v.description(of)));

/** One record of the audit log, with its hash and that of the record before it (SHA-256, hexadecimal). */
export const auditRecordSchema = v.object({
  id: v.pipe(
    v.string(),
    v.description('`aud-` and `seq` in 12 digits, with `chain_id` between them where there is one'),
  ),
  seq: v.pipe(count, v.description('Position in the log, or in its chain, from 1, without gaps')),
  timestamp: v.pipe(v.string(), v.description('RFC 3339 in UTC, to the millisecond')),
  event_type: v.picklist(auditEventTypes),
  status: v.picklist(auditStatuses),
  trace_id: text,
  request_id: text,
  operation_id: text,
  work_item_id: text,
  actor_id: text,
  grant_id: text,
  role: text,
  server_id: text,
  capability_id: text,
  approval_id: text,
  idempotency_key: text,
  is_replay: v.optional(v.boolean()),
  sanitized_args: v.optional(v.pipe(jsonObjectSchema, v.description('Arguments without the keys that are redacted'))),
  error_code: text,
  duration_us: v.optional(count),
  details: v.optional(jsonObjectSchema),
  chain_id: v.optional(
    v.pipe(v.string(), v.description('The chain of one daemon, for a log in PostgreSQL; 32 hexadecimal digits')),
  ),
  actor_kind: v.optional(
    v.pipe(
      v.picklist(actorKinds),
      v.description(
        'How the actor was identified: by a JSON Web Token, by one of `rbac.tokens`, not at all (`anonymous`), by the `authToken`, by the operator token, as the user of the daemon on this machine (`local`) or as another user of it. With `auth_token`, `operator` and `local` the `actor_id` is the name that the request gives. Absent if it is not known',
      ),
    ),
  ),
  ...sourceEntries,
  profile: v.optional(v.pipe(v.string(), v.description('The profile that it was asked through'))),
  policy_digest: digest(
    'Digest of the rules in force, with those of profiles and roles: equal ones have equal digests. 32 hexadecimal digits of SHA-256',
  ),
  rule: v.optional(
    v.pipe(
      v.string(),
      v.description('The rule that decided: its effect and its pattern, as in `deny:github.delete_*`'),
    ),
  ),
  definition_digest: digest('Digest of the called definition, as the catalog had it. 16 hexadecimal digits of SHA-256'),
  config_revision: v.optional(v.pipe(count, v.description('Revision of the configuration in force, where it has one'))),
  args_digest: digest(
    'Digest of the arguments, with the redacted values: equal ones have equal digests. 32 hexadecimal digits of HMAC-SHA-256 under a key of this state directory or database',
  ),
  result_digest: digest(
    'Digest of the JSON text of the result: equal ones have equal digests. 32 hexadecimal digits of HMAC-SHA-256 under the same key',
  ),
  result_bytes: v.optional(v.pipe(count, v.description('Length of the JSON text of the result, in UTF-8'))),
  queue_us: v.optional(v.pipe(count, v.description('Microseconds that it waited for a place at its server'))),
  upstream_us: v.optional(v.pipe(count, v.description('Microseconds from the request to the server to its answer'))),
  prev_hash: v.pipe(v.string(), v.description('`hash` of the record before it, in its chain')),
  hash: v.pipe(v.string(), v.description('SHA-256 of `prev_hash` and the canonical JSON of the record without `hash`')),
});

/** Answer of `GET /v1/audit/events`. */
export const auditListSchema = v.object({
  ok: v.literal(true),
  events: v.array(auditRecordSchema),
  total: v.pipe(count, v.description('All records that match, on every page')),
  limit: count,
  offset: count,
});

/** Answer of `GET /v1/audit/events/{id}`. */
export const auditAnswerSchema = v.object({ ok: v.literal(true), event: auditRecordSchema });

const verified = v.pipe(count, v.description('Records before the first one that is wrong, of every chain'));

/** Result of verifying a log: counts of records, and the first one that does not fit. */
export const auditReportSchema = v.object({
  is_valid: v.boolean(),
  total_records: count,
  verified_records: verified,
  first_corrupted_id: v.nullable(v.union([v.string(), v.number()])),
  details: v.string(),
  chains: v.optional(
    v.pipe(
      v.array(
        v.object({
          chain_id: v.string(),
          is_valid: v.boolean(),
          total_records: count,
          verified_records: count,
          first_corrupted_id: v.nullable(v.string()),
          details: v.string(),
        }),
      ),
      v.description('The chain of each daemon, for a log in PostgreSQL, also of removed daemons'),
    ),
  ),
  checkpoints: v.optional(
    v.pipe(
      v.object({
        total: v.pipe(count, v.description('Signed checkpoints that are there')),
        verified: v.pipe(count, v.description('Those signed by a known key, of records at their original place')),
        last_seq: v.nullable(count),
        last_time: v.nullable(v.string()),
        records_after: v.pipe(count, v.description('Records that no verified checkpoint covers')),
        details: v.string(),
      }),
      v.description('How far signed checkpoints cover the log'),
    ),
  ),
});

/** Answer of `GET /v1/audit/verify`. */
export const auditVerifySchema = v.object({ ok: v.literal(true), report: auditReportSchema });

/** Answer of `GET /v1/audit/stats`. */
export const auditStatsSchema = v.object({
  ok: v.literal(true),
  durable: v.pipe(
    v.boolean(),
    v.description(
      'Whether records outlive the process: in a file or in PostgreSQL; false in memory, and without a log',
    ),
  ),
  total_events: count,
  by_status: v.object({ success: count, failed: count, denied: count, intercepted: count, cancelled: count }),
  by_event_type: v.pipe(v.record(v.string(), count), v.description('Only the types that occur')),
  by_capability: v.pipe(
    v.array(v.object({ capability_id: v.string(), count })),
    v.description('The 20 that occur most'),
  ),
  by_client: v.pipe(
    v.array(v.object({ client: v.string(), count })),
    v.description('Names that clients give themselves, the 20 that occur most; records without one do not count'),
  ),
  by_channel: v.pipe(v.record(v.string(), count), v.description('Only the channels that occur')),
  by_hour: v.pipe(
    v.array(v.object({ hour: v.pipe(v.string(), v.description('Its start, RFC 3339')), count })),
    v.description('The last 24 hours, oldest first'),
  ),
});

/** Intervals that one answer has at most. */
export const maxSeriesBuckets = 200;

/** Answer of `GET /v1/audit/series`: records by outcome over time. */
export const auditSeriesSchema = v.object({
  ok: v.literal(true),
  step_secs: v.pipe(
    count,
    v.description(
      'Length of an interval: the shortest of 1 s, 2 s, 5 s … 1 min … 1 h … 365 days that needs no more of them than `buckets`',
    ),
  ),
  total: v.pipe(count, v.description('Records in all intervals')),
  points: v.pipe(
    v.array(
      v.object({
        start: v.pipe(v.string(), v.description('Start of the interval, RFC 3339 in UTC')),
        success: count,
        failed: count,
        denied: count,
        intercepted: count,
        cancelled: count,
      }),
    ),
    v.description('Oldest first, without gaps, from `start_time` to `end_time`'),
  ),
});

/** Capabilities that one answer has at most. */
export const maxUsageListed = 10_000;

const usageCounts = {
  calls: v.pipe(count, v.description('Calls that were let in: `tool_call`, `resource_read`, `prompt_get`')),
  failed: v.pipe(count, v.description('Number of `calls` with status `failed`')),
  refused: v.pipe(count, v.description('Calls that policy refused: `policy_violation`')),
  last: v.pipe(v.nullable(v.string()), v.description('Time of the newest of them, RFC 3339 in UTC')),
};

/** Answer of `GET /v1/audit/usage`: calls by capability, or by actor. */
export const auditUsageSchema = v.object({
  ok: v.literal(true),
  capabilities: v.pipe(
    v.array(v.object({ capability_id: v.string(), ...usageCounts })),
    v.description(`Most calls first, ${maxUsageListed} at most; empty with \`by=actor\``),
  ),
  actors: v.optional(
    v.pipe(
      v.array(
        v.object({
          actor_id: v.pipe(v.nullable(v.string()), v.description('Null for calls without an actor')),
          ...usageCounts,
        }),
      ),
      v.description('With `by=actor` only: likewise'),
    ),
  ),
  complete: v.pipe(v.boolean(), v.description('Whether these are all')),
});
