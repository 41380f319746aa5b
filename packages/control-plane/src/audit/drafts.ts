// What the log is told of a call: the fields of its record that do not depend on its place in the chain.
import type { AuditDraft, AuditEventType, AuditStatus } from '@portico/audit-chain';
import type { Correlation, ErrorCode, JsonObject } from '@portico/contracts';
import type { Redactor } from '@portico/policy-engine';
import type { Call, Caller, CallKind, Outcome } from '../call/call.js';
import type { PlaneState } from '../state/plane-state.js';
import { findTarget, notFoundCodes } from '../state/target.js';

/** RFC 3339 in UTC, to the millisecond. */
export function timestampOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The ids of a request, as far as they are there. */
export function correlationFields(
  { redactText }: Pick<Redactor, 'redactText'>,
  { traceId, requestId, context = {} }: Correlation,
) {
  const { operation_id, work_item_id, actor_id, grant_id } = context;
  return {
    trace_id: traceId,
    ...(requestId === null ? {} : { request_id: redactText(requestId) }),
    ...(operation_id == null ? {} : { operation_id: redactText(operation_id) }),
    ...(work_item_id == null ? {} : { work_item_id: redactText(work_item_id) }),
    ...(actor_id == null ? {} : { actor_id: redactText(actor_id) }),
    ...(grant_id == null ? {} : { grant_id: redactText(grant_id) }),
  } satisfies Partial<AuditDraft>;
}

/** Who it was, as they have proved it. What a request says of its actor counts only where nobody has to prove anything. */
export function callerFields(
  { redactText }: Pick<Redactor, 'redactText'>,
  { role, actor }: Pick<Caller, 'role' | 'actor'>,
) {
  return {
    ...(actor === null ? {} : { actor_id: redactText(actor) }),
    ...(role === null ? {} : { role }),
  } satisfies Partial<AuditDraft>;
}

/** How a call came to its end. */
export interface CallEnd {
  readonly kind: Outcome['kind'];
  /** None on success. */
  readonly code?: ErrorCode | undefined;
  /** Whether the upstream was not contacted. */
  readonly isUnsent: boolean;
  readonly epochMs: number;
  readonly durationUs: number;
  /** Key in force; null for none. */
  readonly key: string | null;
  /** The ticket whose call this is, or that it opened or joined; null for none. */
  readonly approvalId: string | null;
  readonly details?: JsonObject;
}

export type AuditedCall = Pick<Call, 'kind' | 'id' | 'args' | 'correlation' | 'caller'>;

/**
 * Everything in it is redacted by the policy that the call began under, and by the one in force at its end.
 * @param now the state at its end
 */
export function callDraft(state: PlaneState, call: AuditedCall, end: CallEnd, now = state): AuditDraft {
  const { kind, code, key, approvalId, details } = end;
  const redactor = both(state.policy.redactorOf(call.caller.role), now.policy.redactorOf(call.caller.role));
  const target = findTarget(state, call.kind, call.id);
  const isReplay = kind === 'replayed';
  const isViolation = isBarred(state, call, end, target !== undefined);
  return {
    timestamp: timestampOf(end.epochMs),
    event_type: isReplay ? 'idempotent_replay' : isViolation ? 'policy_violation' : eventTypes[call.kind],
    status: isViolation ? 'denied' : statusOf(end),
    ...correlationFields(redactor, call.correlation),
    ...callerFields(redactor, call.caller),
    ...(target === undefined ? {} : { server_id: target.server }),
    capability_id: target === undefined ? redactor.redactText(call.id) : shownId(redactor, call.kind, target.id),
    ...(approvalId === null ? {} : { approval_id: approvalId }),
    ...(key === null ? {} : { idempotency_key: redactor.redactText(key) }),
    is_replay: isReplay,
    sanitized_args: redactor.sanitize(call.args),
    ...(code === undefined ? {} : { error_code: code }),
    duration_us: end.durationUs,
    ...(details === undefined ? {} : { details }),
  };
}

type DraftRedactor = Pick<Redactor, 'sanitize' | 'redactText'>;

/** What either keeps from view is kept from it. */
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

/** Denied by a rule, or told that it does not exist since the caller may not see it. */
function isBarred(
  state: PlaneState,
  { kind, caller }: AuditedCall,
  { kind: ended, code, isUnsent }: CallEnd,
  exists: boolean,
): boolean {
  if (ended !== 'answered') return false;
  if (code === 'POLICY_DENIED') return true;
  return code === notFoundCodes[kind] && isUnsent && exists && state.view(caller) !== undefined;
}

function statusOf({ kind, code }: CallEnd): AuditStatus {
  if (kind === 'pending') return 'intercepted';
  switch (code) {
    case undefined:
      return 'success';
    case 'POLICY_DENIED':
    case 'APPROVAL_REJECTED':
      return 'denied';
    case 'OPERATION_CANCELLED':
      return 'cancelled';
    default:
      return 'failed';
  }
}
