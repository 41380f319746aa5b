// Logs as they stand in files, made without a writer.
import { type AuditDraft, type AuditRecord, genesisHead, type Head, seal } from '@portico/audit-chain';
import { draftOf } from './audit-files.js';

export interface Chain {
  readonly records: readonly AuditRecord[];
  readonly lines: readonly string[];
  readonly head: Head;
  /** Content of the file. */
  readonly text: string;
}

export function chainOf(drafts: readonly AuditDraft[], start: Head = genesisHead): Chain {
  let head = start;
  const sealed = drafts.map((draft) => {
    const next = seal(head, draft);
    head = next.head;
    return next;
  });
  const lines = sealed.map(({ line }) => line);
  return { records: sealed.map(({ record }) => record), lines, head, text: lines.map((line) => `${line}\n`).join('') };
}

/** Records that differ. */
export function draftsOf(count: number): readonly AuditDraft[] {
  return Array.from({ length: count }, (_, i) =>
    draftOf({
      timestamp: new Date(Date.UTC(2026, 0, 2) + 1000 * i).toISOString(),
      capability_id: `s.t${i % 7}`,
      actor_id: `ä${i % 3}`,
      trace_id: `trace-${i}`,
      request_id: `request-${i % 2000}`,
      ...(i % 4 === 0 ? { client: { name: `agent-${i % 12}`, version: '1' }, channel: 'stdio' } : {}),
      ...(i % 9 === 0 ? { approval_id: `appr-${i}-1`, idempotency_key: `key-${i % 100}` } : {}),
      status: i % 5 === 0 ? 'failed' : 'success',
      duration_us: i,
    }),
  );
}
