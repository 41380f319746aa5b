// The two canonical texts of a record, the one that is hashed and the one that is written, from one serialisation.
// They differ in nothing but the member `hash`.
import { canonicalize, sha256Hex } from '@portico/canonical-json';
import { recordFields } from './fields.js';
import type { AuditRecord } from './record.js';

export type UnsealedRecord = Omit<AuditRecord, 'hash'>;

/** Canonical JSON, without braces, of the members whose names sort before `hash`, and of those after it. */
export interface RecordText {
  readonly before: string;
  readonly after: string;
}

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

/** Both parts have members: `event_type` sorts before `hash`, `id` after it. @throws TypeError for no canonical form */
export function toRecordText(record: UnsealedRecord): RecordText {
  return { before: textOf(record, membersBefore), after: textOf(record, membersAfter) };
}

/** A loop over texts that are there, since every call comes by here. */
function textOf(record: UnsealedRecord, members: readonly Member[]): string {
  let text = '';
  for (const { field, first, later } of members) {
    const value = record[field];
    if (value === undefined) continue;
    text += text === '' ? first : later;
    text += canonicalize(value);
  }
  return text;
}

/** Whether a text may be the beginning of a record's line, however little of it there is. */
export function beginsLikeLine(text: string): boolean {
  const mayBeFirst = fieldsBefore.slice(0, fieldsBefore.indexOf('event_type') + 1); // every record has that one
  return mayBeFirst.map((field) => `{"${field}":`).some((begin) => begin.startsWith(text.slice(0, begin.length)));
}

/** Canonical JSON of the record without `hash`. */
export function hashedText({ before, after }: RecordText): string {
  return `{${before},${after}}`;
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

/** Canonical JSON of the whole record. */
export function lineOf({ before, after }: RecordText, hash: string): string {
  return `{${before},"hash":${JSON.stringify(hash)},${after}}`;
}
