// Gives a record its place in the chain. One writer holds the head; nothing here keeps or writes it.
import { type JsonValue, parseJson } from '@portico/contracts';
import { type RecordField, recordFields } from './fields.js';
import { type AuditDraft, type AuditRecord, genesisHash } from './record.js';
import { lineOf, recordId, sealText } from './record-text.js';
import { maxSealedLevels, toSealable } from './sealable.js';

/** Where a chain ends: the last record's position and hash. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** The head of a log without records. */
export const genesisHead: Head = Object.freeze({ seq: 0, hash: genesisHash });

/** A record in its place: its line, which the log keeps, and the record itself for those who look into it. */
export class Sealed {
  /** What the next record is sealed onto. */
  readonly head: Head;
  /** `recordLine(record)`, which sealing has at hand. */
  readonly line: string;

  constructor(seq: number, { hash, line }: { readonly hash: string; readonly line: string }) {
    this.head = { seq, hash };
    this.line = line;
  }

  /** Read from the line each time: few ask for it. */
  get record(): AuditRecord {
    return toRecord(this.line);
  }
}

/**
 * The record that follows a head, of the chain that is named where a log has several. Half a surrogate pair in any text
 * becomes U+FFFD, and other values that have no canonical form give way as toSealable says, so that every event can be
 * logged; null and undefined are omitted.
 */
export function seal(head: Head, draft: AuditDraft, chainId?: string): Sealed {
  const seq = head.seq + 1;
  const place = { id: recordId(seq, chainId), seq, prev_hash: head.hash, chain_id: chainId };
  try {
    return new Sealed(seq, sealText(draft, place, maxSealedLevels - 1));
  } catch {
    // A draft is an object around its values, and sealable values keep their types.
    return new Sealed(seq, sealText(toSealable(draft, -1) as unknown as AuditDraft, place));
  }
}

/** The record's line in the file, without line break: its canonical JSON. @throws TypeError for no canonical form */
export function recordLine(record: AuditRecord): string {
  return lineOf(record);
}

/** With its fields in their order. */
function toRecord(line: string): AuditRecord {
  const sealed: AuditRecord = parseJson(line); // it was written from one
  const members: Partial<Record<RecordField, JsonValue>> = {};
  for (const field of recordFields) {
    const value = sealed[field];
    if (value !== undefined) members[field] = value;
  }
  return members as unknown as AuditRecord; // all of its fields
}
