// The attributes of a call's span. Text of callers passes the policy's redaction; arguments and results never get here.
import type { Attributes } from '@opentelemetry/api';
import type { Correlation } from '@portico/contracts';
import type { Redactor } from '@portico/policy-engine';
import type { Call, Outcome } from '../../call/call.js';
import type { Target } from '../../call/target.js';

type RedactText = Redactor['redactText'];

/** The request context, under the names that it has in requests and answers. */
export function requestAttributes(
  { requestId, traceId, context = {} }: Correlation,
  redactText: RedactText,
): Attributes {
  const { operation_id, work_item_id, actor_id, grant_id } = context;
  const given = { request_id: requestId, operation_id, work_item_id, actor_id, grant_id };
  const attributes: Attributes = { trace_id: traceId };
  for (const [name, value] of Object.entries(given)) if (value != null) attributes[name] = redactText(value);
  return attributes;
}

/** The attributes of a call before it is resolved. */
export function callAttributes(call: Call, redactText: RedactText): Attributes {
  const { kind, id, caller, idempotencyKey, batch } = call;
  return {
    ...requestAttributes(call.correlation, redactText),
    'portico.kind': kind,
    'portico.capability_id': redactText(id),
    'portico.has_idempotency_key': idempotencyKey !== null,
    ...(caller.profile === null ? {} : { 'portico.profile': redactText(caller.profile) }),
    ...(caller.role === null ? {} : { 'portico.role': caller.role }),
    ...(batch === undefined ? {} : { 'portico.batch_step': redactText(batch.stepId) }),
  };
}

export function targetAttributes({ id, server }: Target, redactText: RedactText): Attributes {
  return { 'portico.capability_id': redactText(id), 'portico.server_id': server };
}

/** @param approvalId the ticket whose call it was */
export function outcomeAttributes({ kind, envelope }: Outcome, approvalId: string | null): Attributes {
  const ticket = approvalId ?? envelope.error?.approval_id;
  return {
    'portico.outcome': kind,
    'portico.replayed': kind === 'replayed',
    ...(envelope.error === null ? {} : { 'error.type': envelope.error.code }),
    ...(ticket === undefined ? {} : { 'portico.approval_id': ticket }),
  };
}
