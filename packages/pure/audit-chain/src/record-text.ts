// The two canonical texts of a record, the one that is hashed and the one that is written, from one serialisation.
// They differ in nothing but the member `hash`.
import { canonicalize, sha256Hex } from '@portico/canonical-json';
import type { JsonValue } from '@portico/contracts';
import { recordFields } from './fields.js';
import type { AuditRecord } from './record.js';

export type UnsealedRecord = Omit<AuditRecord, 'hash'>;

const sortedFields = recordFields.toSorted();
const hashAt = sortedFields.indexOf('hash');
const fieldsBefore = sortedFields.slice(0, hashAt) as readonly (keyof UnsealedRecord)[]; // all but `hash`
const fieldsAfter = sortedFields.slice(hashAt + 1) as readonly (keyof UnsealedRecord)[];

/** A field with the text of its name, as the first member and as a later one. */
interface Member {
  readonly field: keyof UnsealedRecord;
  readonly first: string;
  readonly later: string;
}

const toMember = (field: keyof UnsealedRecord): Member => ({ field, first: `"${field}":`, later: `,"${field}":` });
const membersBefore = fieldsBefore.map(toMember);
const membersAfter = fieldsAfter.map(toMember);

/** The value of a field; undefined for none. */
export type ReadField = (field: keyof UnsealedRecord) => JsonValue | undefined;

/** Canonical JSON of a record without `hash`, behind another text, and the place in it where `hash` belongs. */
interface RecordText {
  readonly text: string;
  readonly hashOffset: number;
}

/**
 * One text of many pieces, in one go: joined one by one they would be a tree, which hashing and writing flatten each.
 * Members are on both sides of `hash`: `event_type` sorts before it, `id` after it. @throws TypeError for no canonical form
 */
function textAfter(prefix: string, read: ReadField): RecordText {
  const pieces = [prefix, '{'];
  const hashOffset = prefix.length + 1 + addMembers(pieces, read, membersBefore);
  pieces.push(',');
  addMembers(pieces, read, membersAfter);
  pieces.push('}');
  return { text: pieces.join(''), hashOffset };
}

/** Gives the length of what it adds. A loop over texts that are there, since every call comes by here. */
function addMembers(pieces: string[], read: ReadField, members: readonly Member[]): number {
  let length = 0;
  for (const { field, first, later } of members) {
    const value = read(field);
    if (value === undefined) continue;
    const name = length === 0 ? first : later;
    const text = canonicalize(value);
    pieces.push(name, text);
    length += name.length + text.length;
  }
  return length;
}

/** The hash of a record behind the one with `prevHash`, and its line. */
export function sealText(prevHash: string, read: ReadField): { readonly hash: string; readonly line: string } {
  const { text, hashOffset } = textAfter(prevHash, read);
  const hash = sha256Hex(text); // `hashOf` of the two, which are one text here
  return { hash, line: withHash(text.slice(prevHash.length), hashOffset - prevHash.length, hash) };
}

/** Canonical JSON of a record. @throws TypeError for no canonical form */
export function lineOf(record: AuditRecord): string {
  const { text, hashOffset } = textAfter('', (field) => record[field]);
  return withHash(text, hashOffset, record.hash);
}

function withHash(text: string, hashOffset: number, hash: string): string {
  return `${text.slice(0, hashOffset)},"hash":${JSON.stringify(hash)}${text.slice(hashOffset)}`;
}

/** Whether a text may be the beginning of a record's line, however little of it there is. */
export function beginsLikeLine(text: string): boolean {
  const mayBeFirst = fieldsBefore.slice(0, fieldsBefore.indexOf('event_type') + 1); // every record has that one
  return mayBeFirst.map((field) => `{"${field}":`).some((begin) => begin.startsWith(text.slice(0, begin.length)));
}

/** Canonical JSON of the record without `hash`. @throws TypeError for no canonical form */
export function hashedText(record: UnsealedRecord): string {
  return textAfter('', (field) => record[field]).text;
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
