// An audit record as a row: its line, and what queries look for.
import { createHash } from 'node:crypto';
import type { AuditRecord, Sealed } from '@portico/audit-chain';
import type { AuditRecordRow } from '../../tables.js';

/** Texts come from callers, and an index takes none that is long. Longer ones have their hash in place of the rest. */
export const maxTermLength = 128;

/** The name of a text in the columns: equal for equal texts only. */
export function toTerm(text: string): string {
  if (text.length <= maxTermLength && !text.includes('\0')) return text;
  const hash = createHash('sha256').update(text).digest('hex');
  return `${text.slice(0, maxTermLength).replaceAll('\0', ' ').padEnd(maxTermLength)}…${hash}`;
}

/** Whether the text itself is not in the column. */
export function isShortened(term: string): boolean {
  return term.length > maxTermLength;
}

export function toRecordRow({ record, line }: Pick<Sealed, 'record' | 'line'>, beforeMs: number): AuditRecordRow {
  return { ...columnsOf(record, beforeMs), line };
}

/** @param beforeMs `order_ms` of the record before it in its chain */
export function columnsOf(record: AuditRecord, beforeMs: number): Omit<AuditRecordRow, 'line'> {
  const { chain_id = '', seq, timestamp, event_type, status } = record;
  const at = Date.parse(timestamp);
  const at_ms = Number.isNaN(at) ? null : at;
  return {
    chain_id,
    seq,
    order_ms: Math.max(beforeMs, at_ms ?? beforeMs),
    at_ms,
    event_type,
    status,
    trace_id: termOf(record.trace_id),
    actor_id: termOf(record.actor_id),
    server_id: termOf(record.server_id),
    capability_id: termOf(record.capability_id),
    request_id: toTerm(record.request_id ?? ''),
    approval_id: toTerm(record.approval_id ?? ''),
    idempotency_key: toTerm(record.idempotency_key ?? ''),
    client: toTerm(record.client?.name ?? ''),
    channel: record.channel ?? '',
  };
}

function termOf(text: string | undefined): string | null {
  return text === undefined ? null : toTerm(text);
}
