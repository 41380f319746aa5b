// The audit record of a call: the fields that do not depend on its place in the chain.
import type { AuditDraft, AuditEventType, AuditStatus } from '@portico/audit-chain';
import { utf8Length } from '@portico/canonical-json';
import type { Correlation, ErrorCode, JsonObject } from '@portico/contracts';
import type { Redactor } from '@portico/policy-engine';
import type { Call, Caller, CallKind, Outcome } from '../call/call.js';
import type { Target } from '../call/target.js';
import type { toolErrorCode } from '../call/tool-error.js';
import type { PlaneState } from '../state/plane-state.js';
import { findTarget, notFoundCodes } from '../state/target.js';
import { digestsOf } from './digests.js';

/** RFC 3339 in UTC, to the millisecond. */
export function timestampOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

const none: NonNullable<Correlation['context']> = Object.freeze({});
const unknownCaller: Asking = Object.freeze({ role: null, actor: null });

/** The fields of a record about the caller. */
export type Asking = Pick<Caller, 'role' | 'actor' | 'actorKind' | 'source'>;

/**
 * The ids of a request, if present, and its authenticated caller. The actor that the request names counts only if no
 * authentication is required.
 */
export function originFields(
  { redactText }: Pick<Redactor, 'redactText'>,
  { traceId, requestId, context }: Correlation,
  { role, actor, actorKind, source }: Asking = unknownCaller,
) {
  const { operation_id, work_item_id, actor_id, grant_id } = context ?? none;
  const who = actor ?? actor_id;
  return {
    trace_id: traceId,
    request_id: requestId == null ? undefined : redactText(requestId),
    operation_id: operation_id == null ? undefined : redactText(operation_id),
    work_item_id: work_item_id == null ? undefined : redactText(work_item_id),
    actor_id: who == null ? undefined : redactText(who),
    grant_id: grant_id == null ? undefined : redactText(grant_id),
    role: role ?? undefined,
    actor_kind: actorKind,
    client: source && (source.redactText === redactText ? source.shown : source.showTo(redactText)),
    channel: source?.channel,
  } satisfies Partial<AuditDraft>;
}

/** How a call came to its end. */
export interface CallEnd {
  readonly kind: Outcome['kind'];
  /** None on success. */
  readonly code?: ErrorCode | typeof toolErrorCode | undefined;
  /** Whether the upstream was not contacted. */
  readonly isUnsent: boolean;
  /** It asks its caller something: the execution goes on with another request, whose record has its end. */
  readonly isInterim?: boolean;
  readonly epochMs: number;
  readonly durationUs: number;
  /** JSON text of its result, if available. */
  readonly dataText?: string | undefined;
  /** Has the record say in full what was called, by which rules, and with what result; undefined for a plain success. */
  readonly digestKey?: string | undefined;
  /** Key in force; null for none. */
  readonly key: string | null;
  /** The ticket whose call this is, or that it opened or joined; null for none. */
  readonly approvalId: string | null;
  readonly details?: JsonObject | undefined;
}

export interface AuditedCall {
  /** The snapshot that it began on. */
  readonly state: PlaneState;
  readonly call: Pick<Call, 'kind' | 'id' | 'correlation' | 'caller'>;
  readonly args: JsonObject;
  /** The target of its id, if already resolved. */
  readonly target?: Target | undefined;
  /** The rule that decided: `<effect>:<pattern>`. */
  readonly rule?: string | undefined;
  /** How long it waited for its server's place, and how long that took; undefined if it was not sent. */
  readonly queueMs?: number | undefined;
  readonly upstreamMs?: number | undefined;
  /** The grant that answered it in place of a person. */
  readonly granted?: { readonly grant?: { readonly id: string } | undefined } | undefined;
}

/**
 * Everything in it is redacted by the policy that the call began under, and by the one in force at its end.
 * @param now the state at its end
 */
export function callDraft(
  { state, call, args, target: found, rule, queueMs, upstreamMs, granted }: AuditedCall,
  end: CallEnd,
  now = state,
): AuditDraft {
  const { kind, code, key, approvalId, details } = end;
  const { correlation, caller } = call;
  const began = state.policy.redactorOf(caller.role);
  const redactor = now.policy === state.policy ? began : both(began, now.policy.redactorOf(caller.role));
  const target = found ?? findTarget(state, call.kind, call.id);
  const isReplay = kind === 'replayed';
  const isViolation = code !== undefined && isBarred(state, call, end, target !== undefined);
  // `originFields`, member by member: every call comes by here.
  const { operation_id, work_item_id, actor_id, grant_id } = correlation.context ?? none;
  const { role, source } = caller;
  const who = caller.actor ?? actor_id;
  const { redactText } = redactor;
  const shown =
    target === undefined || call.kind === 'resource' ? redactor.redactText(target?.id ?? call.id) : target.id;
  const { digestKey, dataText } = end;
  const draft: AuditDraft = {
    timestamp: new Date(end.epochMs).toISOString(), // `timestampOf`
    event_type: isReplay ? 'idempotent_replay' : isViolation ? 'policy_violation' : eventTypes[call.kind],
    status:
      code === undefined && kind !== 'pending' && end.isInterim !== true
        ? 'success'
        : isViolation
          ? 'denied'
          : statusOf(end),
    trace_id: correlation.traceId,
    request_id: correlation.requestId == null ? undefined : redactText(correlation.requestId),
    operation_id: operation_id == null ? undefined : redactText(operation_id),
    work_item_id: work_item_id == null ? undefined : redactText(work_item_id),
    actor_id: who == null ? undefined : redactText(who),
    grant_id: granted?.grant?.id ?? (grant_id == null ? undefined : redactText(grant_id)),
    role: role ?? undefined,
    actor_kind: caller.actorKind,
    client: source && (source.redactText === redactText ? source.shown : source.showTo(redactText)),
    channel: source?.channel,
    profile: caller.profile ?? undefined,
    rule,
    queue_us: queueMs === undefined || queueMs < shownQueueMs ? undefined : Math.round(queueMs * 1000),
    server_id: target?.server,
    capability_id: shown,
    approval_id: approvalId ?? undefined,
    idempotency_key: key === null ? undefined : redactor.redactText(key),
    is_replay: isReplay,
    sanitized_args: redactor.sanitize(args),
    error_code: code,
    duration_us: end.durationUs,
    details: end.isInterim === true ? { ...details, ...interimDetails } : details,
  };
  if (digestKey === undefined) return draft;
  const digests = digestsOf(digestKey, args, dataText);
  return {
    ...draft,
    policy_digest: now.policy.digest,
    definition_digest: target?.digest?.slice(0, 32),
    args_digest: digests.args,
    result_digest: digests.result,
    result_bytes: dataText === undefined ? undefined : utf8Length(dataText),
    upstream_us: upstreamMs === undefined ? undefined : Math.round(upstreamMs * 1000),
  };
}

/** Calls that find a place free take less than that to be sent. */
const shownQueueMs = 1;

const interimDetails: JsonObject = Object.freeze({ interim: true });

type DraftRedactor = Pick<Redactor, 'sanitize' | 'redactText'>;

/** Redacts everything that either of them redacts. */
function both(first: DraftRedactor, second: DraftRedactor): DraftRedactor {
  if (first === second) return first;
  return {
    sanitize: (args) => second.sanitize(first.sanitize(args)),
    redactText: (text) => second.redactText(first.redactText(text)),
  };
}

export const eventTypes: Readonly<Record<CallKind, AuditEventType>> = {
  tool: 'tool_call',
  resource: 'resource_read',
  prompt: 'prompt_get',
};

/** A URI may hold a secret; the name of a tool or prompt is the server's own. */
export function shownId({ redactText }: Pick<Redactor, 'redactText'>, kind: CallKind, id: string): string {
  return kind === 'resource' ? redactText(id) : id;
}

/** Denied by a rule, or answered as not found because the caller may not see it. */
function isBarred(
  state: PlaneState,
  { kind, caller }: AuditedCall['call'],
  { kind: ended, code, isUnsent }: CallEnd,
  exists: boolean,
): boolean {
  if (ended !== 'answered') return false;
  if (code === 'POLICY_DENIED') return true;
  return code === notFoundCodes[kind] && isUnsent && exists && state.view(caller) !== undefined;
}

/** For a call that did not succeed. */
function statusOf({ kind, code, isInterim }: CallEnd): AuditStatus {
  if (kind === 'pending' || isInterim === true) return 'intercepted';
  switch (code) {
    case 'POLICY_DENIED':
    case 'APPROVAL_REJECTED':
      return 'denied';
    case 'OPERATION_CANCELLED':
      return 'cancelled';
    default:
      return 'failed';
  }
}
