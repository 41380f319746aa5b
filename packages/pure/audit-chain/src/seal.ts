// Gives a record its place in the chain. One writer holds the head; nothing here keeps or writes it.
import type { JsonValue } from '@portico/contracts';
import { type RecordField, recordFields } from './fields.js';
import { type AuditDraft, type AuditRecord, genesisHash, recordId } from './record.js';
import { lineOf, sealText, type UnsealedRecord } from './record-text.js';
import { toSealable } from './sealable.js';

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
  readonly #draft: AuditDraft;
  readonly #place: Place;
  #record: AuditRecord | undefined;

  constructor(draft: AuditDraft, place: Place) {
    const { hash, line } = sealText(place.prev_hash, (field) => readField(draft, place, field));
    this.head = { seq: place.seq, hash };
    this.line = line;
    this.#draft = draft;
    this.#place = place;
  }

  get record(): AuditRecord {
    this.#record ??= toRecord(this.#draft, this.#place, this.head.hash);
    return this.#record;
  }
}

/**
 * The record that follows a head, of the chain that is named where a log has several. Half a surrogate pair in any text
 * becomes U+FFFD, and other values that have no canonical form give way as toSealable says, so that every event can be
 * logged; null and undefined are omitted.
 * @param draft not to be changed any more
 */
export function seal(head: Head, draft: AuditDraft, chainId?: string): Sealed {
  const seq = head.seq + 1;
  return new Sealed(draft, { id: recordId(seq, chainId), seq, prev_hash: head.hash, chain_id: chainId });
}

/** The record's line in the file, without line break: its canonical JSON. @throws TypeError for no canonical form */
export function recordLine(record: AuditRecord): string {
  return lineOf(record);
}

interface Place extends Pick<AuditRecord, 'id' | 'seq' | 'prev_hash'> {
  readonly chain_id: string | undefined;
}

function readField(draft: AuditDraft, place: Place, field: keyof UnsealedRecord): JsonValue | undefined {
  switch (field) {
    case 'id':
    case 'seq':
    case 'prev_hash':
    case 'chain_id':
      return place[field];
    default:
      return toSealable(draft[field]) ?? undefined;
  }
}

/** With its fields in their order, and values as they were sealed. */
function toRecord(draft: AuditDraft, place: Place, hash: string): AuditRecord {
  const members: Partial<Record<RecordField, JsonValue>> = {};
  for (const field of recordFields) {
    const value = field === 'hash' ? hash : readField(draft, place, field);
    if (value !== undefined) members[field] = value;
  }
  return members as unknown as AuditRecord; // the same fields: sealable values keep their types
}
