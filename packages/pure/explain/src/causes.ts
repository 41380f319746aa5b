// Why a call ended as its record says: a name for each reason, derived from the code, the rule and the times of the
// record.
import { type Fact, isOfApproval } from './fact.js';

/** Reasons why a call ended as it did, one name each. */
export const causes = [
  'succeeded',
  'replayed',
  'asked_caller',
  'tool_error',
  'denied_by_rule',
  'denied_by_argument_rule',
  'loop',
  'budget_exhausted',
  'approval_share_used_up',
  'withheld',
  'share_used_up',
  'not_visible',
  'not_found',
  'not_found_at_server',
  'invalid_arguments',
  'invalid_request',
  'invalid_state',
  'invalid_query',
  'approval_pending',
  'approval_running',
  'approval_rejected',
  'approval_cancelled',
  'approval_expired',
  'circuit_open',
  'unreachable',
  'connection_lost',
  'timeout_at_server',
  'timeout_before_server',
  'upstream_error',
  'cancelled_before_server',
  'cancelled_at_server',
  'interrupted',
  'internal_after_send',
  'internal_before_send',
  'unknown',
] as const;
export type Cause = (typeof causes)[number];

export function causeOf(fact: Fact): Cause {
  if (isOfApproval(fact)) return ofApproval(fact);
  if (fact.isReplay) return 'replayed';
  if (fact.code !== undefined)
    return Object.hasOwn(ofCode, fact.code) ? (ofCode[fact.code]?.(fact) ?? 'unknown') : 'unknown';
  if (fact.status === 'intercepted') return 'asked_caller';
  return fact.status === 'success' ? 'succeeded' : 'unknown';
}

function ofApproval({ type, details }: Fact): Cause {
  switch (type) {
    case 'approval_approved':
      return 'approval_running';
    case 'approval_expired':
      return 'approval_expired';
    case 'approval_rejected':
      return details.reason === 'cancelled' ? 'approval_cancelled' : 'approval_rejected';
    default:
      return 'approval_pending';
  }
}

type Read = (fact: Fact) => Cause;

const notFound: Read = (fact) =>
  wasSent(fact) ? 'not_found_at_server' : fact.type === 'policy_violation' ? 'not_visible' : 'not_found';

const ofCode: Readonly<Record<string, Read>> = {
  TOOL_ERROR: () => 'tool_error',
  TOOL_NOT_FOUND: notFound,
  RESOURCE_NOT_FOUND: notFound,
  PROMPT_NOT_FOUND: notFound,
  INVALID_ARGS: (fact) => {
    if (wasSent(fact)) return shortens(fact) ? 'invalid_query' : 'invalid_state';
    return 'argument' in fact.details ? 'invalid_arguments' : 'invalid_request';
  },
  POLICY_DENIED: ({ rule, approvalId, details }) => {
    if (rule?.startsWith('deny:')) return 'denied_by_rule';
    if (details.reason === 'argument_rule') return 'denied_by_argument_rule';
    if (rule?.startsWith('loop:')) return 'loop';
    if (rule?.startsWith('budget:')) return 'budget_exhausted';
    if (approvalId !== undefined) return 'withheld';
    return rule === undefined ? 'share_used_up' : 'approval_share_used_up';
  },
  APPROVAL_PENDING: () => 'approval_pending',
  APPROVAL_TIMEOUT: () => 'approval_expired',
  APPROVAL_REJECTED: () => 'approval_rejected',
  CIRCUIT_OPEN: () => 'circuit_open',
  SERVER_UNREACHABLE: (fact) => (wasSent(fact) ? 'connection_lost' : 'unreachable'),
  UPSTREAM_TIMEOUT: (fact) => (wasSent(fact) ? 'timeout_at_server' : 'timeout_before_server'),
  UPSTREAM_ERROR: () => 'upstream_error',
  OPERATION_CANCELLED: (fact) => (wasSent(fact) ? 'cancelled_at_server' : 'cancelled_before_server'),
  INTERNAL_ERROR: (fact) => {
    if (fact.details.interrupted === true) return 'interrupted';
    return wasSent(fact) ? 'internal_after_send' : 'internal_before_send';
  },
};

/** By the time at the server, which records of calls that did not simply succeed have. */
export function wasSent({ upstreamUs }: Fact): boolean {
  return upstreamUs !== undefined;
}

const modifiers = ['_jsonpath', '_limit_lines', '_truncate_bytes'];

function shortens({ args }: Fact): boolean {
  return modifiers.some((name) => name in args);
}
