// Selects the records of a query: every given condition holds. The same for lists, exports and statistics.
import type { AuditChannel, JsonValue } from '@portico/contracts';
import type { AuditEventType, AuditRecord, AuditStatus } from './record.js';

export interface AuditFilter {
  readonly actor_id?: string | undefined;
  readonly capability_id?: string | undefined;
  readonly event_type?: AuditEventType | undefined;
  /** One of these, at least one. */
  readonly event_types?: readonly AuditEventType[] | undefined;
  readonly status?: AuditStatus | undefined;
  readonly server_id?: string | undefined;
  readonly trace_id?: string | undefined;
  readonly request_id?: string | undefined;
  readonly approval_id?: string | undefined;
  readonly idempotency_key?: string | undefined;
  /** Id of the request or of the approval, whichever of them the record has. */
  readonly request_or_approval?: string | undefined;
  readonly channel?: AuditChannel | undefined;
  /** Name of the client, in any version. */
  readonly client?: string | undefined;
  /** `any` for every record that shadow rules would have ended otherwise, else one of these rules: `<effect>:<pattern>`. */
  readonly shadow?: string | undefined;
  /** The rule that decided, as records name it: `<effect>:<pattern>`. */
  readonly rule?: string | undefined;
  /** Milliseconds since the Unix epoch, inclusive. */
  readonly start_ms?: number | undefined;
  /** Milliseconds since the Unix epoch, inclusive. */
  readonly end_ms?: number | undefined;
  /** A text that some value of the record contains, case-insensitive. Names of fields and members do not count. */
  readonly q?: string | undefined;
}

/** No rule: it has no effect before a colon. */
const anyShadow = 'any';

const exactFields = [
  'actor_id',
  'capability_id',
  'event_type',
  'status',
  'server_id',
  'trace_id',
  'request_id',
  'approval_id',
  'idempotency_key',
  'channel',
  'rule',
] as const;

/** Whether a record has everything that a filter names. */
export function matchesFilter(record: AuditRecord, filter: AuditFilter): boolean {
  return (
    exactFields.every((field) => filter[field] === undefined || filter[field] === record[field]) &&
    (filter.event_types === undefined || filter.event_types.includes(record.event_type)) &&
    isOfRequestOrApproval(record, filter.request_or_approval) &&
    (filter.client === undefined || filter.client === record.client?.name) &&
    (filter.shadow === undefined || isShadowed(record, filter.shadow)) &&
    isWithin(record, filter) &&
    (filter.q === undefined || holds(Object.values(record), filter.q.toLowerCase()))
  );
}

function isShadowed({ details }: AuditRecord, wanted: string): boolean {
  const shadow = details?.shadow;
  return typeof shadow === 'string' && (wanted === anyShadow || shadow === wanted);
}

function isOfRequestOrApproval({ request_id, approval_id }: AuditRecord, id: string | undefined): boolean {
  return id === undefined || request_id === id || approval_id === id;
}

function isWithin({ timestamp }: AuditRecord, { start_ms, end_ms }: AuditFilter): boolean {
  if (start_ms === undefined && end_ms === undefined) return true;
  const epochMs = Date.parse(timestamp);
  return epochMs >= (start_ms ?? Number.NEGATIVE_INFINITY) && epochMs <= (end_ms ?? Number.POSITIVE_INFINITY);
}

function holds(value: JsonValue | undefined, lowerCased: string): boolean {
  if (value === undefined) return false;
  if (value === null || typeof value !== 'object') return String(value).toLowerCase().includes(lowerCased);
  return Object.values(value).some((member) => holds(member, lowerCased));
}
