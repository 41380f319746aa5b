// The canonical texts of a record: its id, and the two that differ in nothing but the member `hash`, the one that is
// hashed and the one that is written.
import { canonicalize, sha256Hex } from '@portico/canonical-json';
import { recordFields } from './fields.js';
import type { AuditDraft, AuditRecord } from './record.js';

export type UnsealedRecord = Omit<AuditRecord, 'hash'>;

/** What a record has from its chain. */
export interface Place extends Pick<AuditRecord, 'id' | 'seq' | 'prev_hash'> {
  readonly chain_id: string | undefined;
}

const placeFields: readonly string[] = ['id', 'seq', 'prev_hash', 'chain_id'];

const sortedFields = recordFields.toSorted();
const hashAt = sortedFields.indexOf('hash');
const fieldsBefore = sortedFields.slice(0, hashAt) as readonly (keyof UnsealedRecord)[]; // all but `hash`

/** The pieces of a record's text: what it stands behind, `{`, the name and the value of each field, and `}`. */
const form: readonly string[] = ['', '{', ...sortedFields.flatMap(() => ['', '']), '}']; // a frozen one is slow to copy
const toPiece = (index: number) => 2 + 2 * index;
const hashPiece = toPiece(hashAt);

/** A field with its piece of the form, and the text of its name as the first member and as a later one. */
interface Member {
  readonly field: keyof UnsealedRecord;
  readonly isOfPlace: boolean;
  readonly piece: number;
  readonly first: string;
  readonly later: string;
}

const members: readonly Member[] = sortedFields.flatMap((field, index) =>
  field === 'hash'
    ? []
    : {
        field,
        isOfPlace: placeFields.includes(field),
        piece: toPiece(index),
        first: `"${field}":`,
        later: `,"${field}":`,
      },
);

type Values = { readonly [field in keyof UnsealedRecord]?: unknown };

/**
 * The pieces of a record without `hash`, behind another text. Joined in one go they are one text; added one by one they
 * would be a tree, which hashing and writing flatten each. @throws TypeError for no canonical form
 */
function fillForm(prefix: string, record: Values, place: Values, levels?: number): string[] {
  const pieces = form.slice();
  pieces[0] = prefix;
  let isFirst = true;
  for (const { field, isOfPlace, piece, first, later } of members) {
    const value = isOfPlace ? place[field] : record[field];
    if (value === undefined || value === null) continue;
    pieces[piece] = isFirst ? first : later;
    pieces[piece + 1] = canonicalize(value, levels);
    isFirst = false;
  }
  return pieces;
}

/**
 * The hash of a record behind the one with the `prev_hash` of its place, and its line.
 * @param levels of arrays and objects that a value may have
 * @throws TypeError for no canonical form
 */
export function sealText(
  draft: AuditDraft,
  place: Place,
  levels?: number,
): { readonly hash: string; readonly line: string } {
  const pieces = fillForm(place.prev_hash, draft, place, levels);
  const hash = sha256Hex(pieces.join('')); // `hashOf` of the two, which are one text here
  pieces[0] = '';
  pieces[hashPiece] = `,"hash":"${hash}"`; // `event_type`, which every record has, sorts before it
  return { hash, line: pieces.join('') };
}

/** Canonical JSON of a record. @throws TypeError for no canonical form */
export function lineOf(record: AuditRecord): string {
  const pieces = fillForm('', record, record);
  pieces[hashPiece] = `,"hash":${JSON.stringify(record.hash)}`;
  return pieces.join('');
}

/** Whether a text may be the beginning of a record's line, however little of it there is. */
export function beginsLikeLine(text: string): boolean {
  const mayBeFirst = fieldsBefore.slice(0, fieldsBefore.indexOf('event_type') + 1); // every record has that one
  return mayBeFirst.map((field) => `{"${field}":`).some((begin) => begin.startsWith(text.slice(0, begin.length)));
}

/** Canonical JSON of the record without `hash`. @throws TypeError for no canonical form */
export function hashedText(record: UnsealedRecord): string {
  return fillForm('', record, record).join('');
}

/** The same, cut out of a record's canonical line; undefined where another member may be mistaken for the hash. */
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
