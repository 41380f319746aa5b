// The fields of a record in their order, and what each may hold. One table for sealing, reading and CSV.
// It never judges what a value means, only whether it has the shape that the type promises.
import { actorKinds, auditChannels, isJsonObject } from '@portico/contracts';
import { type AuditRecord, auditEventTypes, auditStatuses } from './record.js';

export type RecordField = keyof AuditRecord;
type FieldTest = (value: unknown) => boolean;

const isText: FieldTest = (value) => typeof value === 'string';
const isNumber: FieldTest = (value) => typeof value === 'number';
const isOneOf =
  (names: readonly string[]): FieldTest =>
  (value) =>
    names.some((name) => name === value);

const fieldTests: Readonly<Record<RecordField, FieldTest>> = {
  id: isText,
  seq: isNumber,
  timestamp: isText,
  event_type: isOneOf(auditEventTypes),
  status: isOneOf(auditStatuses),
  trace_id: isText,
  request_id: isText,
  operation_id: isText,
  work_item_id: isText,
  actor_id: isText,
  grant_id: isText,
  role: isText,
  server_id: isText,
  capability_id: isText,
  approval_id: isText,
  idempotency_key: isText,
  is_replay: (value) => typeof value === 'boolean',
  sanitized_args: isJsonObject,
  error_code: isText,
  duration_us: isNumber,
  details: isJsonObject,
  prev_hash: isText,
  hash: isText,
  chain_id: isText, // new ones come last, so that columns of a CSV export stay where they were
  actor_kind: isOneOf(actorKinds),
  client: isClientName,
  channel: isOneOf(auditChannels),
  profile: isText,
  policy_digest: isText,
  rule: isText,
  definition_digest: isText,
  config_revision: isNumber,
  args_digest: isText,
  result_digest: isText,
  result_bytes: isNumber,
  queue_us: isNumber,
  upstream_us: isNumber,
};

/** In the order of the columns of a CSV export. */
export const recordFields = Object.freeze(Object.keys(fieldTests)) as readonly RecordField[]; // it has no other keys

const requiredFields: readonly RecordField[] = ['id', 'seq', 'timestamp', 'event_type', 'status', 'prev_hash', 'hash'];

/** The name of a field that is missing, unknown or of another type; undefined if the object is a record. */
export function wrongField(value: Readonly<Record<string, unknown>>): string | undefined {
  const missing = requiredFields.find((field) => !Object.hasOwn(value, field));
  return missing ?? Object.keys(value).find((name) => !isField(name) || !fieldTests[name](value[name]));
}

function isField(name: string): name is RecordField {
  return Object.hasOwn(fieldTests, name);
}

function isClientName(value: unknown): boolean {
  if (!isJsonObject(value) || !isText(value.name)) return false;
  return Object.keys(value).every((name) => name === 'name' || (name === 'version' && isText(value.version)));
}
