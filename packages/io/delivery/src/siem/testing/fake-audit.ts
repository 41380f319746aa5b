// An audit log that makes its records up when they are asked for, and remembers what was asked. For tests only.
import { type AuditRecord, recordId } from '@portico/audit-chain';
import type { AuditLog, AuditPortion } from '@portico/control-plane';

export interface FakeAudit extends Pick<AuditLog, 'after' | 'head' | 'onKept'> {
  /** Appends this many records to the log. */
  keep(count: number): void;
  /** Forgets the records before a position, as a log in memory does. */
  forgetBefore(seq: number): void;
  readonly asked: readonly { readonly seq: number; readonly portion: AuditPortion }[];
  readonly listeners: ReadonlySet<() => void>;
}

/** @param change gives records of a seq what they have besides */
export function createFakeAudit(count = 0, change: (seq: number) => Partial<AuditRecord> = () => ({})): FakeAudit {
  const asked: { readonly seq: number; readonly portion: AuditPortion }[] = [];
  const listeners = new Set<() => void>();
  let newest = count;
  let oldest = 1;
  return {
    asked,
    listeners,
    keep(more) {
      newest += more;
      for (const listener of listeners) listener();
    },
    forgetBefore(seq) {
      oldest = seq;
    },
    head: () => ({ seq: newest, hash: hashAt(newest) }),
    onKept(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async after(seq, portion) {
      asked.push({ seq, portion });
      const records: AuditRecord[] = [];
      let characters = 0;
      for (let next = Math.max(seq + 1, oldest); next <= newest && records.length < portion.maxRecords; next++) {
        const record = { ...recordAt(next), ...change(next) };
        characters += JSON.stringify(record).length;
        if (records.length > 0 && characters > portion.maxCharacters) break;
        records.push(record);
      }
      return records;
    },
  };
}

/** A record that is made at the second of its position. */
export function recordAt(seq: number): AuditRecord {
  return {
    id: recordId(seq),
    seq,
    timestamp: new Date(seq * 1000).toISOString(),
    event_type: 'tool_call',
    status: 'success',
    capability_id: 'files.read',
    sanitized_args: { path: `/notes/${seq}` },
    prev_hash: hashAt(seq - 1),
    hash: hashAt(seq),
  };
}

function hashAt(seq: number): string {
  return seq.toString(16).padStart(64, '0');
}
