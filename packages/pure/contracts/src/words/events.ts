// An audit record or a recent call as a sentence: who did what, and how it ended. Everything in it is text of others.
import type * as v from 'valibot';
import type { auditRecordSchema } from '../wire/audit.js';

type AuditRecord = v.InferOutput<typeof auditRecordSchema>;

/** How an outcome is marked beside its word. */
export type EventTone = 'neutral' | 'good' | 'warn' | 'bad' | 'info';

/** Common fields of a record and a recent call. */
export type EventSource = Pick<AuditRecord, 'event_type' | 'status'> &
  Partial<
    Pick<
      AuditRecord,
      | 'client'
      | 'channel'
      | 'actor_id'
      | 'role'
      | 'capability_id'
      | 'server_id'
      | 'error_code'
      | 'rule'
      | 'approval_id'
      | 'details'
    >
  >;

export interface EventText {
  readonly who: string;
  /** `called`, with a space on either side of it in a sentence. */
  readonly verb: string;
  /** The capability or the server; empty if the verb says it all. */
  readonly what: string;
  readonly outcome: string;
  readonly tone: EventTone;
}

const verbs: Readonly<Record<EventSource['event_type'], string>> = {
  tool_call: 'called',
  resource_read: 'read',
  prompt_get: 'got the prompt',
  policy_violation: 'called',
  idempotent_replay: 'called again',
  approval_created: 'asks to run',
  approval_approved: 'approved',
  approval_rejected: 'rejected',
  approval_expired: 'did not get an answer for',
  config_change: 'changed the configuration',
  sampling: 'was asked for a message by',
  auth_failure: 'was not let in',
  audit_gap: 'lost records',
  service_start: 'started',
  service_stop: 'stopped',
};

const ours: readonly EventSource['event_type'][] = ['audit_gap', 'service_start', 'service_stop'];

const outcomes: Readonly<Record<EventSource['status'], readonly [word: string, tone: EventTone]>> = {
  success: ['done', 'good'],
  failed: ['failed', 'bad'],
  denied: ['refused', 'bad'],
  intercepted: ['waiting', 'warn'],
  cancelled: ['cancelled', 'neutral'],
};

/** An audit record in the parts of a sentence: who did what, with what outcome. */
export function toEventText(event: EventSource): EventText {
  const [word, tone] = outcomes[event.status];
  const isDecision = event.event_type === 'approval_approved' || event.event_type === 'approval_rejected';
  return {
    who: ours.includes(event.event_type)
      ? 'Portico'
      : ((isDecision ? operatorOf(event) : undefined) ?? callerOf(event)),
    verb: verbs[event.event_type],
    what: event.capability_id ?? event.server_id ?? '',
    outcome: `${word}${reasonOf(event)}`,
    tone,
  };
}

/** The program, as it names itself; else its authenticated identity; else its channel. */
function callerOf({ client, actor_id: actor, role, channel }: EventSource): string {
  return client?.name ?? actor ?? role ?? channel ?? 'unknown';
}

function operatorOf({ details }: EventSource): string | undefined {
  return typeof details?.operator === 'string' ? details.operator : undefined;
}

function reasonOf({ status, rule, error_code: code }: EventSource): string {
  if (status === 'success') return '';
  if (status === 'denied' && rule !== undefined) return ` by rule ${ruleText(rule)}`;
  if (status === 'intercepted' && rule !== undefined) return ` for approval, rule ${ruleText(rule)}`;
  return code === undefined ? '' : `: ${code}`;
}

/** `require_approval:github.*` as people write it: `github.* (require approval)`. */
export function ruleText(rule: string): string {
  const cut = rule.indexOf(':');
  return cut === -1 ? rule : `${rule.slice(cut + 1)} (${rule.slice(0, cut).replaceAll('_', ' ')})`;
}
