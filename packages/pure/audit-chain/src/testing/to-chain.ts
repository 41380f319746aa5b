// Drafts sealed one onto the other. For tests of this package only.
import type { AuditDraft, AuditRecord } from '../record.js';
import { genesisHead, type Head, seal } from '../seal.js';

export interface Chain {
  readonly records: readonly AuditRecord[];
  readonly lines: readonly string[];
  readonly head: Head;
}

export function toChain(drafts: readonly AuditDraft[], start: Head = genesisHead): Chain {
  let head = start;
  const sealed = drafts.map((draft) => {
    const next = seal(head, draft);
    head = next.head;
    return next;
  });
  return { records: sealed.map(({ record }) => record), lines: sealed.map(({ line }) => line), head };
}
