// Records as the service leaves them, one for each way in which a call ends. For tests only.
import type { Evidence, InForce } from '../evidence.js';

const traceId = 'a'.repeat(32);
const policyDigest = '1'.repeat(32);

export type Given = Readonly<Record<string, unknown>>;

/** A record of a call; of the 7th place by default. */
export function recordOf(fields: Given = {}): Given {
  const seq = typeof fields.seq === 'number' ? fields.seq : 7;
  return {
    id: `aud-${String(seq).padStart(12, '0')}`,
    seq,
    timestamp: `2026-11-25T10:00:${String(seq).padStart(2, '0')}.000Z`,
    event_type: 'tool_call',
    status: 'failed',
    trace_id: traceId,
    server_id: 's',
    capability_id: 's.t',
    policy_digest: policyDigest,
    duration_us: 1500,
    ...fields,
  };
}

export function evidenceOf(records: readonly Given[], more: Partial<Evidence> = {}): Evidence {
  return { traceId, records, ...more };
}

export const inForce: InForce = {
  policyDigest,
  decision: 'allow',
  toolTimeoutMs: 30_000,
  approvalTimeoutSecs: 300,
  queuedCalls: 10_000,
  circuit: 'closed',
  cooldownMs: 30_000,
  failureThreshold: 5,
};

const failed = (error_code: string, more: Given = {}) => [recordOf({ error_code, ...more })];
const sent = { upstream_us: 1200 };
const gate = { rule: 'require_approval:s.*', approval_id: 'appr-1-1' };
const opened = recordOf({ seq: 5, event_type: 'approval_created', status: 'intercepted', ...gate });
const decided = (kind: string, status: string, details: Given = {}) =>
  recordOf({ seq: 6, event_type: `approval_${kind}`, status, ...gate, details });
const approved = decided('approved', 'success', { operator: 'ada', modified: false });
const violation = { event_type: 'policy_violation', status: 'denied' };
const shortened = { sanitized_args: { _jsonpath: '$..*' } };
const keyed = { idempotency_key: 'k' };
const ok = { status: 'success' };

/** By name: an error code or the outcome, and the step. */
export const fixtures: Readonly<Record<string, readonly Given[]>> = {
  'success, of a tool': [recordOf(ok)],
  'success, of a resource': [recordOf({ ...ok, event_type: 'resource_read', capability_id: 's.mem:note' })],
  'success, of a prompt': [recordOf({ ...ok, event_type: 'prompt_get', capability_id: 's.greet' })],
  'success, after a wait for a place': [recordOf({ ...ok, queue_us: 4000, ...sent })],
  'success, under a key': [recordOf({ ...ok, ...keyed })],
  'success, with converted arguments': [recordOf({ ...ok, details: { coerced: ['args.n'] } })],
  'success, shortened': [recordOf({ ...ok, ...shortened })],
  'success, after an approval': [opened, approved, recordOf({ ...ok, ...gate })],
  'success, after an approval with other arguments': [
    opened,
    decided('approved', 'success', { decided_by: 'jwt:ada', operator: 'ada', modified: true }),
    recordOf({ ...ok, ...gate }),
  ],
  'success, whose approval is not there': [recordOf({ ...ok, ...gate })],
  'interim answer': [recordOf({ status: 'intercepted', ...keyed, details: { interim: true } })],
  'interim answer, then success': [
    recordOf({ seq: 6, status: 'intercepted', ...keyed, details: { interim: true } }),
    recordOf({ ...ok, ...keyed }),
  ],
  replay: [recordOf({ ...ok, event_type: 'idempotent_replay', is_replay: true, ...keyed })],
  'replay of a failure': failed('UPSTREAM_ERROR', { event_type: 'idempotent_replay', is_replay: true, ...keyed }),
  'TOOL_ERROR at converse': failed('TOOL_ERROR', sent),
  'TOOL_NOT_FOUND at resolve': failed('TOOL_NOT_FOUND', { server_id: undefined }),
  'TOOL_NOT_FOUND at authorize': failed('TOOL_NOT_FOUND', violation),
  'TOOL_NOT_FOUND at authorize, by a profile': failed('TOOL_NOT_FOUND', { ...violation, profile: 'dev' }),
  'RESOURCE_NOT_FOUND at resolve': failed('RESOURCE_NOT_FOUND', { event_type: 'resource_read', server_id: undefined }),
  'RESOURCE_NOT_FOUND at authorize': failed('RESOURCE_NOT_FOUND', violation),
  'RESOURCE_NOT_FOUND at converse': failed('RESOURCE_NOT_FOUND', { event_type: 'resource_read', ...sent }),
  'PROMPT_NOT_FOUND at resolve': failed('PROMPT_NOT_FOUND', { event_type: 'prompt_get', server_id: undefined }),
  'PROMPT_NOT_FOUND at authorize': failed('PROMPT_NOT_FOUND', violation),
  'INVALID_ARGS at prepare': failed('INVALID_ARGS', { details: { argument: 'args.path' } }),
  'INVALID_ARGS at prepare, without its path': failed('INVALID_ARGS'),
  'INVALID_ARGS at converse': failed('INVALID_ARGS', sent),
  'INVALID_ARGS at distill': failed('INVALID_ARGS', { ...sent, ...shortened }),
  'POLICY_DENIED at authorize, by arguments': failed('POLICY_DENIED', {
    ...violation,
    rule: 'rule:acme-only',
    details: { reason: 'argument_rule' },
  }),
  'POLICY_DENIED at authorize': failed('POLICY_DENIED', { ...violation, rule: 'deny:s.*' }),
  'POLICY_DENIED at authorize, as a loop': failed('POLICY_DENIED', {
    ...violation,
    rule: 'loop:alternating',
    details: { reason: 'loop' },
  }),
  'POLICY_DENIED at authorize, by a budget': failed('POLICY_DENIED', {
    ...violation,
    rule: 'budget:night',
    details: { reason: 'budget_exhausted' },
  }),
  'POLICY_DENIED at approve': failed('POLICY_DENIED', { ...violation, rule: gate.rule }),
  'POLICY_DENIED at take turn': failed('POLICY_DENIED', violation),
  'POLICY_DENIED at converse': [opened, approved, ...failed('POLICY_DENIED', { ...violation, ...gate })],
  'APPROVAL_PENDING at approve': [opened],
  'APPROVAL_PENDING at approve, as a loop': failed('APPROVAL_PENDING', {
    status: 'intercepted',
    rule: 'loop:identical',
  }),
  'APPROVAL_PENDING at approve, by a budget': failed('APPROVAL_PENDING', {
    status: 'intercepted',
    rule: 'budget:night',
  }),
  'APPROVAL_PENDING at approve, joined': failed('APPROVAL_PENDING', { status: 'intercepted', ...gate, ...keyed }),
  'APPROVAL_PENDING at approve, on a new definition': [
    opened,
    recordOf({
      seq: 6,
      event_type: 'approval_created',
      status: 'intercepted',
      ...gate,
      details: { reason: 'definition_changed' },
    }),
  ],
  'approved, without an end': [opened, approved],
  'APPROVAL_REJECTED at approve': [opened, decided('rejected', 'denied', { operator: 'ada', reason: 'too much' })],
  'APPROVAL_REJECTED at approve, joined': failed('APPROVAL_REJECTED', { status: 'denied', ...gate }),
  'APPROVAL_REJECTED at approve, cancelled': [
    opened,
    decided('rejected', 'denied', { operator: 'local', reason: 'cancelled' }),
  ],
  'APPROVAL_TIMEOUT at approve': [opened, decided('expired', 'failed')],
  'APPROVAL_TIMEOUT at approve, joined': failed('APPROVAL_TIMEOUT', gate),
  'CIRCUIT_OPEN at converse': failed('CIRCUIT_OPEN'),
  'CIRCUIT_OPEN at converse, after an approval': [opened, approved, ...failed('CIRCUIT_OPEN', gate)],
  'SERVER_UNREACHABLE at converse': failed('SERVER_UNREACHABLE'),
  'SERVER_UNREACHABLE at converse, sent': failed('SERVER_UNREACHABLE', sent),
  'UPSTREAM_TIMEOUT at take turn': failed('UPSTREAM_TIMEOUT'),
  'UPSTREAM_TIMEOUT at converse': failed('UPSTREAM_TIMEOUT', { upstream_us: 30_000_000 }),
  'UPSTREAM_ERROR at converse': failed('UPSTREAM_ERROR', sent),
  'OPERATION_CANCELLED at take turn': failed('OPERATION_CANCELLED', { status: 'cancelled' }),
  'OPERATION_CANCELLED at converse': failed('OPERATION_CANCELLED', { status: 'cancelled', ...sent }),
  'INTERNAL_ERROR at record': failed('INTERNAL_ERROR'),
  'INTERNAL_ERROR at answer': failed('INTERNAL_ERROR', sent),
  'INTERNAL_ERROR at converse, interrupted': failed('INTERNAL_ERROR', { details: { interrupted: true }, ...keyed }),
  'a code of a later version': failed('NEW_CODE'),
  'no record': [],
};
