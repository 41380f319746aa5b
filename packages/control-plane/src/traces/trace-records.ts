// The records of a trace, found by any id that a caller may have, and only those that a viewer may see.
import type { AuditFilter, AuditRecord } from '@portico/audit-chain';
import { isExplained } from '@portico/explain';
import type { AuditLog, AuditPage } from '../audit/audit-log.js';
import { eventTypes } from '../audit/drafts.js';
import type { Caller, CallKind } from '../call/call.js';
import type { PlaneState } from '../state/plane-state.js';
import { notFoundCodes } from '../state/target.js';

export type Reads = Pick<AuditLog, 'list' | 'get' | 'after' | 'head'>;

/** Records of one trace that are read: a trace of more is explained by its latest ones. */
export const maxTraceRecords = 1000;

/** Records with one id that are read, newest first. Clients may give the same id to every request: more are not looked for. */
const newestMentions: AuditPage = { limit: 200, offset: 0, countsAll: false };

export interface FoundTrace {
  /** Oldest first. */
  readonly records: readonly AuditRecord[];
  /** Null for records without one. */
  readonly traceId: string | null;
  /** The id of a record or an approval that the question was about; undefined for the whole trace. */
  readonly about: string | undefined;
  /** Whether older records of the trace are left out. */
  readonly isCut: boolean;
}

/**
 * Finds the trace of an id: of a trace, an audit record, an approval or a request, the latest of equals.
 * @param owner who sees nothing but their own records, and finds them only. Undefined for admins
 */
export async function findTrace(
  audit: Reads,
  state: PlaneState,
  id: string,
  owner: Caller | undefined,
): Promise<FoundTrace | undefined> {
  if (/^[0-9a-f]{32}$/.test(id)) {
    const found = await recordsOf(audit, id, owner);
    if (found.records.length > 0) return { ...found, traceId: id, about: undefined };
  }
  if (owner?.actor === null) return undefined; // records name no owner then
  const mention = (await findRecord(audit, id, owner)) ?? (await findMention(audit, state, id, owner));
  if (mention === undefined) return undefined;
  const { trace_id: traceId } = mention;
  if (traceId === undefined) {
    return { records: shownTo([mention], owner), traceId: null, about: mention.id, isCut: false };
  }
  const { records, isCut } = await recordsOf(audit, traceId, owner);
  const isThere = records.some(({ id: known }) => known === mention.id);
  const older = isThere ? [] : shownTo(await withItsApproval(audit, mention, records), owner);
  return { records: [...older, ...records], isCut, traceId, about: mention.id };
}

/** A record older than those that are read, and the others of its approval; oldest first. */
async function withItsApproval(
  audit: Reads,
  mention: AuditRecord,
  known: readonly AuditRecord[],
): Promise<readonly AuditRecord[]> {
  const { trace_id, approval_id } = mention;
  if (approval_id === undefined) return [mention];
  const { events } = await audit.list({ trace_id, approval_id }, newestMentions);
  const ids = new Set(known.map(({ id }) => id));
  const others = events.filter(({ id }) => !ids.has(id)).toReversed();
  return others.some(({ id }) => id === mention.id) ? others : [mention, ...others];
}

async function recordsOf(audit: Reads, traceId: string, owner: Caller | undefined) {
  if (owner?.actor === null) return { records: [], isCut: false }; // records name no owner then
  // The records that are left out matter as well: a viewer of their own records sees none of the others.
  const filter = { trace_id: traceId, ...ofOwner(owner) };
  const { events, total } = await audit.list(filter, { limit: maxTraceRecords, offset: 0, countsAll: false });
  return { records: shownTo(events, owner).toReversed(), isCut: total > events.length };
}

/** An owner's filter excludes the records of others before any is read. */
function ofOwner(owner: Caller | undefined): Pick<AuditFilter, 'actor_id'> {
  return owner === undefined ? {} : { actor_id: owner.actor ?? undefined };
}

async function findRecord(audit: Reads, id: string, owner: Caller | undefined): Promise<AuditRecord | undefined> {
  const record = id.startsWith('aud-') ? await audit.get(id) : undefined;
  return record && isShown(record, owner) ? record : undefined;
}

/** The latest record of a call with this approval or request. */
async function findMention(
  audit: Reads,
  state: PlaneState,
  id: string,
  owner: Caller | undefined,
): Promise<AuditRecord | undefined> {
  const text = state.policy.logRedactor.redactText(id); // as records have it
  const filter = { request_or_approval: text, ...ofOwner(owner) };
  const { events } = await audit.list(filter, newestMentions);
  return events.find((record) => isShown(record, owner) && isExplained(record));
}

/**
 * For a replay: the record of the execution whose answer was returned again. Keys belong to one caller; refused
 * arguments leave no answer.
 */
export async function findOrigin(
  audit: Reads,
  replay: AuditRecord,
  owner: Caller | undefined,
): Promise<AuditRecord | undefined> {
  const { idempotency_key: key, capability_id, actor_id } = replay;
  if (key === undefined) return undefined;
  const end_ms = Date.parse(replay.timestamp);
  const isOrigin = (record: AuditRecord) =>
    record.is_replay !== true &&
    isOfSameCaller(record, replay) &&
    isBefore(record, replay) &&
    record.status !== 'intercepted' &&
    record.error_code !== 'INVALID_ARGS';
  // Replays have a type of their own: however many there are, they do not hide the execution.
  for (const event_type of Object.values(eventTypes)) {
    const filter = { idempotency_key: key, capability_id, actor_id, event_type, end_ms };
    const { events } = await audit.list(filter, newestMentions);
    const origin = events.find((record) => isOrigin(record) && isShown(record, owner));
    if (origin !== undefined) return origin;
  }
  return undefined;
}

/** Places of two chains do not compare. */
function isBefore(a: AuditRecord, b: AuditRecord): boolean {
  return a.chain_id === b.chain_id ? a.seq < b.seq : a.timestamp <= b.timestamp;
}

function isOfSameCaller(a: AuditRecord, b: AuditRecord): boolean {
  return a.actor_id === b.actor_id && a.role === b.role && a.actor_kind === b.actor_kind;
}

/** The records that a viewer may see, redacted for them. */
export function shownTo(records: readonly AuditRecord[], owner: Caller | undefined): readonly AuditRecord[] {
  if (owner === undefined) return records;
  return records.filter((record) => isShown(record, owner)).map((record) => withoutHidden(withoutShadow(record)));
}

/** Rules on trial are of those who write rules: callers are shown the rules in force only. */
function withoutShadow(record: AuditRecord): AuditRecord {
  if (record.details?.shadow === undefined) return record;
  const { shadow, ...details } = record.details;
  return { ...record, details };
}

/** Records name the actor and the role that were proved, and by what. */
function isShown({ actor_id, role, actor_kind }: AuditRecord, owner: Caller | undefined): boolean {
  if (owner === undefined) return true;
  const isSameKind = actor_kind === undefined || owner.actorKind === undefined || actor_kind === owner.actorKind;
  return owner.actor !== null && actor_id === owner.actor && role === (owner.role ?? undefined) && isSameKind;
}

const kinds: readonly CallKind[] = ['tool', 'resource', 'prompt'];

/** A missing entry looks the same whether it does not exist or is hidden from the viewer: no record says which. */
function withoutHidden(record: AuditRecord): AuditRecord {
  const kind = kinds.find((each) => notFoundCodes[each] === record.error_code);
  if (kind === undefined) return record;
  const { server_id, capability_id, definition_digest, rule, policy_digest, upstream_us, queue_us, ...rest } = record;
  return { ...rest, event_type: eventTypes[kind], status: 'failed' };
}
