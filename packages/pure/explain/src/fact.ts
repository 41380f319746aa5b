// An audit record as an explanation reads it. Reading never throws: a field of another type is absent.
import { type AuditStatus, auditStatuses, type JsonObject } from '@portico/contracts';

export interface Fact {
  readonly id: string;
  readonly type: string;
  readonly status: AuditStatus;
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number | undefined;
  readonly traceId: string | undefined;
  readonly requestId: string | undefined;
  readonly approvalId: string | undefined;
  readonly key: string | undefined;
  readonly capability: string | undefined;
  readonly server: string | undefined;
  readonly profile: string | undefined;
  readonly rule: string | undefined;
  readonly policyDigest: string | undefined;
  readonly code: string | undefined;
  readonly isReplay: boolean;
  readonly durationUs: number | undefined;
  readonly queueUs: number | undefined;
  readonly upstreamUs: number | undefined;
  readonly args: JsonObject;
  readonly details: JsonObject;
  /** `{client, channel}` as far as the record has them. */
  readonly source: JsonObject;
}

/** Types of records that say how an execution ended. */
const callTypes = ['tool_call', 'resource_read', 'prompt_get', 'policy_violation', 'idempotent_replay'];
const approvalTypes = ['approval_created', 'approval_approved', 'approval_rejected', 'approval_expired'];

export function isOfCall({ type }: Pick<Fact, 'type'>): boolean {
  return callTypes.includes(type);
}

export function isOfApproval({ type }: Pick<Fact, 'type'>): boolean {
  return approvalTypes.includes(type);
}

/** Undefined for what is no record of a call or an approval. */
export function toFact(given: unknown): Fact | undefined {
  if (!isObject(given)) return undefined;
  const text = textIn(given);
  const id = text('id');
  const type = text('event_type');
  const status = auditStatuses.find((known) => known === given.status);
  if (id === undefined || type === undefined || status === undefined) return undefined;
  if (!isOfCall({ type }) && !isOfApproval({ type })) return undefined;
  const number = numberIn(given);
  const timeMs = Date.parse(text('timestamp') ?? '');
  return {
    id,
    type,
    status,
    timeMs: Number.isNaN(timeMs) ? undefined : timeMs,
    traceId: text('trace_id'),
    requestId: text('request_id'),
    approvalId: text('approval_id'),
    key: text('idempotency_key'),
    capability: text('capability_id'),
    server: text('server_id'),
    profile: text('profile'),
    rule: text('rule'),
    policyDigest: text('policy_digest'),
    code: text('error_code'),
    isReplay: type === 'idempotent_replay' || given.is_replay === true,
    durationUs: number('duration_us'),
    queueUs: number('queue_us'),
    upstreamUs: number('upstream_us'),
    args: objectOf(given.sanitized_args),
    details: objectOf(given.details),
    source: sourceOf(given),
  };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textIn(given: JsonObject) {
  return (name: string): string | undefined => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
}

function numberIn(given: JsonObject) {
  return (name: string): number | undefined => {
    const value = given[name];
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function sourceOf({ client, channel }: JsonObject): JsonObject {
  return {
    ...(isObject(client) && typeof client.name === 'string' ? { client } : {}),
    ...(typeof channel === 'string' ? { channel } : {}),
  };
}

/** A member of details that is a text. */
export function detailOf({ details }: Pick<Fact, 'details'>, name: string): string | undefined {
  const value = details[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
