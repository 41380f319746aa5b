// The entry of a call in the activity list, made from its audit record, which is redacted already.
import type { AuditRecord } from '@portico/audit-chain';
import { callTypes, exactJson, maxShownArguments, type RecentCall } from '@portico/contracts';

/** Undefined for the record of something else, and for completions, which run nothing. */
export function toRecentCall(record: AuditRecord): RecentCall | undefined {
  const type = callTypes.find((known) => known === record.event_type);
  if (type === undefined || record.details?.method !== undefined) return undefined;
  const { id, timestamp, status, client, channel, actor_id, actor_kind, role, profile } = record;
  const { server_id, capability_id, error_code, rule, duration_us, approval_id, trace_id } = record;
  const text = record.sanitized_args === undefined ? undefined : exactJson(record.sanitized_args);
  const made = {
    id,
    timestamp,
    event_type: type,
    status,
    client,
    channel,
    actor_id,
    actor_kind,
    role,
    profile,
    server_id,
    capability_id,
    arguments: text === undefined ? undefined : cut(text),
    arguments_truncated: text !== undefined && text.length > maxShownArguments ? true : undefined,
    error_code,
    rule,
    duration_us,
    approval_id,
    trace_id,
  } as const;
  return Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as unknown as RecentCall; // its own members
}

/** Never through a surrogate pair. A copy: a part of a text would keep the whole of it in memory. */
function cut(text: string): string {
  if (text.length <= maxShownArguments) return text;
  const code = text.charCodeAt(maxShownArguments - 1);
  const end = code >= 0xd800 && code < 0xdc00 ? maxShownArguments - 1 : maxShownArguments;
  return Array.from(text.slice(0, end)).join('');
}

/** Characters of its texts, about. */
export function charactersOf(call: RecentCall): number {
  let characters = 0;
  for (const value of Object.values(call)) characters += typeof value === 'string' ? value.length : 16;
  return characters;
}
