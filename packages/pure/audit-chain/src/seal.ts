// Gives a record its place in the chain. One writer holds the head; nothing here keeps or writes it.
import type { JsonValue } from '@portico/contracts';
import { type RecordField, recordFields } from './fields.js';
import { type AuditDraft, type AuditRecord, genesisHash, recordId } from './record.js';
import { hashedText, hashOf, lineOf, toRecordText, type UnsealedRecord } from './record-text.js';
import { toSealable } from './sealable.js';

/** Where a chain ends: the last record's position and hash. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** The head of a log without records. */
export const genesisHead: Head = Object.freeze({ seq: 0, hash: genesisHash });

export interface Sealed {
  readonly record: AuditRecord;
  /** What the next record is sealed onto. */
  readonly head: Head;
  /** `recordLine(record)`, which sealing has at hand. */
  readonly line: string;
}

/**
 * The record that follows a head, of the chain that is named where a log has several. Half a surrogate pair in any text becomes U+FFFD, and other values that have no
 * canonical form give way as toSealable says, so that every event can be logged; null and undefined are omitted.
 */
export function seal(head: Head, draft: AuditDraft, chainId?: string): Sealed {
  const seq = head.seq + 1;
  const unsealed = toUnsealed(draft, {
    id: recordId(seq, chainId),
    seq,
    prev_hash: head.hash,
    ...(chainId === undefined ? {} : { chain_id: chainId }),
  });
  const text = toRecordText(unsealed);
  const hash = hashOf(head.hash, hashedText(text));
  return { record: Object.assign(unsealed, { hash }), head: { seq, hash }, line: lineOf(text, hash) };
}

/** The record's line in the file, without line break: its canonical JSON. @throws TypeError for no canonical form */
export function recordLine(record: AuditRecord): string {
  return lineOf(toRecordText(record), record.hash);
}

type Place = Pick<AuditRecord, 'id' | 'seq' | 'chain_id' | 'prev_hash'>;

/** The record's own fields, in their order, with values that can be sealed. A loop, since every call comes by here. */
function toUnsealed(draft: AuditDraft, place: Place): UnsealedRecord {
  const given: Partial<AuditRecord> = draft;
  const members: Partial<Record<RecordField, JsonValue>> = { id: place.id, seq: place.seq };
  for (const field of ownFields) {
    if (given[field] === undefined) continue;
    const value = toSealable(given[field]);
    if (value !== null) members[field] = value;
  }
  if (place.chain_id !== undefined) members.chain_id = place.chain_id;
  members.prev_hash = place.prev_hash;
  return members as unknown as UnsealedRecord; // the same fields: sealable values keep their types
}

/** What a draft has; the others give a record its place. */
const ownFields = recordFields.filter((field) => !['id', 'seq', 'chain_id', 'prev_hash', 'hash'].includes(field));
