// Gives a record its place in the chain, and writes its canonical texts: its id, and the two that differ in nothing but
// the member `hash`, the one that is hashed and the one that is written. One writer holds the head; nothing here keeps it.
import { canonicalize, plainText, sha256Hex, type WritableBytes } from '@portico/canonical-json';
import { type JsonValue, parseJson } from '@portico/contracts';
import { type RecordField, recordFields } from './fields.js';
import { type AuditDraft, type AuditRecord, genesisHash } from './record.js';
import { maxSealedLevels, toSealable } from './sealable.js';
import { Written } from './written.js';

/** Where a chain ends: the last record's position and hash. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** The head of a log without records. */
export const genesisHead: Head = Object.freeze({ seq: 0, hash: genesisHash });

/** The first number with more digits than an id is padded to. */
const beyondDigits = 1e12;
const hashMember = ',"hash":"';
/** Bytes of UTF-8 that one unit of UTF-16 takes at most. */
const bytesPerUnit = 3;

/** A record in its place: its line, which the log keeps, and the record itself for those who look into it. */
export class Sealed {
  /** The head that the next record is sealed onto. */
  readonly head: Head;
  /** Room that its line takes at most, in bytes. */
  readonly maxBytes: number;
  /** Text of its line, before the member `hash` and from behind it on. */
  readonly #before: string;
  readonly #after: string;

  /**
   * @param levels of arrays and objects that a value may have
   * @throws TypeError for no canonical form
   */
  constructor(draft: AuditDraft, position: ChainPosition, levels?: number) {
    const { seq, prev_hash } = position;
    const before = `${prev_hash}{${membersBefore(draft, position, levels)}`;
    const hashed = `${before}${membersAfter(draft, position, levels)}}`;
    this.head = { seq, hash: sha256Hex(hashed) }; // `hashOf` of the two, which are one text here
    // Hashing has made one flat text of what was joined: parts of it are no copies.
    this.#before = hashed.slice(prev_hash.length, before.length);
    this.#after = hashed.slice(before.length);
    this.maxBytes = (hashed.length + hashMember.length + 1) * bytesPerUnit; // with a hash, though another one
  }

  /** `recordLine(record)`. */
  get line(): string {
    return `${this.#before}${hashMember}${this.head.hash}"${this.#after}`;
  }

  /** Writes its line as UTF-8 from a byte on, part by part: no text is made of it. Gives the bytes written. */
  writeLine(into: WritableBytes, at: number): number {
    let end = at + into.write(this.#before, at);
    end += into.write(`${hashMember}${this.head.hash}"`, end);
    return end + into.write(this.#after, end) - at;
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
  // Most logs are one chain, and to cut digits off costs less than to pad them.
  const isPlain = chainId === undefined && seq < beyondDigits;
  const id = isPlain ? `aud-${String(beyondDigits + seq).slice(1)}` : recordId(seq, chainId);
  const position = { id, seq, prev_hash: head.hash, chain_id: chainId };
  try {
    return new Sealed(draft, position, maxSealedLevels - 1);
  } catch {
    // A draft is an object around its values, and sealable values keep their types.
    return new Sealed(toSealable(draft, -1) as unknown as AuditDraft, position);
  }
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

export type UnsealedRecord = Omit<AuditRecord, 'hash'>;

/** The fields that a record gets from its chain. */
export interface ChainPosition extends Pick<AuditRecord, 'id' | 'seq' | 'prev_hash'> {
  readonly chain_id: string | undefined;
}

type Values = { readonly [field in keyof UnsealedRecord]?: unknown };

/** Each member by name, since every record comes by here: what looks them up by a list takes twice as long. */
function membersBefore(r: Values, position: Values, levels?: number): string {
  return (
    member('"actor_id":"', r.actor_id, levels, '",') +
    member('"actor_kind":"', r.actor_kind, levels, '",') +
    member('"approval_id":"', r.approval_id, levels, '",') +
    member('"args_digest":"', r.args_digest, levels, '",') +
    member('"capability_id":"', r.capability_id, levels, '",') +
    member('"chain_id":"', position.chain_id, levels, '",') +
    member('"channel":"', r.channel, levels, '",') +
    member('"client":', r.client, levels, ',') +
    member('"config_revision":"', r.config_revision, levels, '",') +
    member('"definition_digest":"', r.definition_digest, levels, '",') +
    member('"details":', r.details, levels, ',') +
    member('"duration_us":', r.duration_us, levels, ',') +
    member('"error_code":"', r.error_code, levels, '",') +
    member('"event_type":"', r.event_type, levels) +
    member(',"grant_id":"', r.grant_id, levels)
  );
}

/** Those behind the hash. */
function membersAfter(r: Values, position: Values, levels?: number): string {
  return (
    member(',"id":"', position.id, levels) +
    member(',"idempotency_key":"', r.idempotency_key, levels) +
    member(',"is_replay":', r.is_replay, levels, '') +
    member(',"operation_id":"', r.operation_id, levels) +
    member(',"policy_digest":"', r.policy_digest, levels) +
    member(',"prev_hash":"', position.prev_hash, levels) +
    member(',"profile":"', r.profile, levels) +
    member(',"queue_us":', r.queue_us, levels, '') +
    member(',"request_id":"', r.request_id, levels) +
    member(',"result_bytes":', r.result_bytes, levels, '') +
    member(',"result_digest":"', r.result_digest, levels) +
    member(',"role":"', r.role, levels) +
    member(',"rule":"', r.rule, levels) +
    member(',"sanitized_args":', r.sanitized_args, levels, '') +
    member(',"seq":', position.seq, levels, '') +
    member(',"server_id":"', r.server_id, levels) +
    member(',"status":"', r.status, levels) +
    member(',"timestamp":"', r.timestamp, levels) +
    member(',"trace_id":"', r.trace_id, levels) +
    member(',"upstream_us":', r.upstream_us, levels, '') +
    member(',"work_item_id":"', r.work_item_id, levels)
  );
}

/**
 * A member; nothing where it is absent.
 * @param name with the quote that begins a text, where the field is one
 * @param end the quote that ends it, and what follows the member
 * @throws TypeError for no canonical form
 */
function member(name: string, value: unknown, levels: number | undefined, end = '"'): string {
  if (value === undefined || value === null) return '';
  // Most values are texts that need no copy to be quoted. Each part that is joined is garbage.
  const isQuoted = name.endsWith('"');
  if (isQuoted && typeof value === 'string' && plainText.test(value)) return name + value + end;
  const text = value instanceof Written ? value.text : canonicalize(value, levels);
  return isQuoted ? name.slice(0, -1) + text + end.slice(1) : name + text + end;
}

/** The record's line in the file, without line break: its canonical JSON. @throws TypeError for no canonical form */
export function recordLine(record: AuditRecord): string {
  const hash = canonicalize(record.hash);
  return `{${membersBefore(record, record)},"hash":${hash}${membersAfter(record, record)}}`;
}

/** Whether a text may be the beginning of a record's line, however little of it there is. */
export function beginsLikeLine(text: string): boolean {
  const mayBeFirst = recordFields.filter((field) => field <= 'event_type'); // every record has that one
  return mayBeFirst.map((field) => `{"${field}":`).some((begin) => begin.startsWith(text.slice(0, begin.length)));
}

/** Canonical JSON of the record without `hash`. @throws TypeError for no canonical form */
export function hashedText(record: UnsealedRecord): string {
  return `{${membersBefore(record, record)}${membersAfter(record, record)}}`;
}

/** The same, cut out of a record's canonical line; undefined if another member may be mistaken for the hash. */
export function hashedTextOf(line: string, hash: string): string | undefined {
  const member = `,"hash":${JSON.stringify(hash)},`;
  const at = line.indexOf(member);
  if (at < 0 || line.includes(member, at + 1)) return undefined;
  return `${line.slice(0, at)},${line.slice(at + member.length)}`;
}

/** SHA-256 of the hash before and the canonical JSON of the record without `hash`. */
export function hashOf(prevHash: string, hashed: string): string {
  return sha256Hex(`${prevHash}${hashed}`);
}

/** The id of the record at a position: `aud-000000000001` is the first of a log that is one chain. */
export function recordId(seq: number, chainId?: string): string {
  return `aud-${chainId === undefined ? '' : `${chainId}-`}${String(seq).padStart(12, '0')}`;
}

/** Where the record of an id is; undefined for what is no id. */
export function parseRecordId(id: string): { readonly chainId: string | undefined; readonly seq: number } | undefined {
  const [, chainId, digits] = /^aud-(?:([0-9a-f]{32})-)?(\d{12,16})$/.exec(id) ?? [];
  const seq = Number(digits ?? 0);
  return recordId(seq, chainId) === id ? { chainId, seq } : undefined;
}
