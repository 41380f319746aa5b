// Reads plain lines, which most records have: texts without escapes and whole numbers. Does not build them again for
// comparison. It accepts nothing that readLine would refuse; other lines are left to readLine.
import { isCanonical } from '@portico/canonical-json';
import { auditChannels, parseJson } from '@portico/contracts';
import { type RecordField, recordFields } from './fields.js';
import { auditEventTypes, auditStatuses } from './record.js';

export interface PlainLine {
  readonly id: string;
  readonly chain_id?: string | undefined;
  readonly seq: number;
  readonly prev_hash: string;
  readonly hash: string;
  /** The line without its member `hash`. */
  readonly hashed: string;
}

/** Longer lines could exhaust the stack of the regular expression. */
const maxCharacters = 16 * 1024;

/** No character that is escaped in canonical JSON, and no half of a surrogate pair. */
const text = '"[^"\\\\\\u0000-\\u001f\\ud800-\\udfff]*"';
const whole = '(?:0|[1-9][0-9]{0,14})';
const scalar = `(?:${text}|-?[1-9][0-9]{0,14}|0|true|false|null)`;
const listOf = (item: string) => `(?:${item}(?:,${item})*)?`;
const flat = `(?:${scalar}|\\[${listOf(scalar)}\\]|\\{${listOf(`${text}:${scalar}`)}\\})`;
const object = `\\{${listOf(`${text}:${flat}`)}\\}`;
const oneOf = (names: readonly string[]) => `"(?:${names.join('|')})"`;

/** Fields that are not texts. A record of a gap is never plain: its details have to be read. */
const patterns: Partial<Record<RecordField, string>> = {
  event_type: oneOf(auditEventTypes.filter((type) => type !== 'audit_gap')),
  status: oneOf(auditStatuses),
  is_replay: '(?:true|false)',
  duration_us: whole,
  client: `\\{"name":${text}(?:,"version":${text})?\\}`,
  channel: oneOf(auditChannels),
  config_revision: whole,
  result_bytes: whole,
  queue_us: whole,
  upstream_us: whole,
  seq: `(?<seq>${whole})`,
  id: '"(?<id>aud-(?:[0-9a-f]{32}-)?[0-9]{12,16})"',
  chain_id: '"(?<chain>[0-9a-f]{32})"',
  prev_hash: '"(?<prev>[0-9a-f]{64})"',
  details: `(?<details>${object})`,
  sanitized_args: `(?<args>${object})`,
};
const required: readonly RecordField[] = ['event_type', 'id', 'prev_hash', 'seq', 'status', 'timestamp'];

const line = new RegExp(
  `^(?<before>\\{${membersBefore()}),"hash":"(?<hash>[0-9a-f]{64})"(?<after>${membersAfter()}\\})$`,
);

export function readPlainLine(given: string): PlainLine | undefined {
  const found = given.length > maxCharacters ? undefined : line.exec(given)?.groups;
  if (found === undefined) return undefined;
  const { id = '', chain, seq, prev = '', hash = '', before, after, details, args } = found;
  if (!isSortedObject(details) || !isSortedObject(args)) return undefined;
  return { id, chain_id: chain, seq: Number(seq), prev_hash: prev, hash, hashed: `${before}${after}` };
}

function isSortedObject(json: string | undefined): boolean {
  if (json === undefined) return true;
  return json.includes('{', 1) ? isCanonical(json, parseJson(json)) : hasSortedNames(json);
}

/** For an object without nested ones. Its quotes only begin and end texts. */
function hasSortedNames(json: string): boolean {
  let before: string | undefined;
  for (let start = json.indexOf('"'); start >= 0; ) {
    const end = json.indexOf('"', start + 1);
    if (json[end + 1] === ':') {
      const name = json.slice(start + 1, end);
      if (before !== undefined && before >= name) return false;
      before = name;
    }
    start = json.indexOf('"', end + 1);
  }
  return true;
}

/** Each with a comma after it, but the last: `event_type` or `grant_id`. */
function membersBefore(): string {
  const fields = recordFields.toSorted().filter((field) => field < 'event_type');
  return `${fields.map((field) => `(?:${memberOf(field)},)?`).join('')}${memberOf('event_type')}(?:,${memberOf('grant_id')})?`;
}

/** Each with a comma before it. */
function membersAfter(): string {
  const fields = recordFields.toSorted().filter((field) => field > 'hash');
  return fields.map((field) => `(?:,${memberOf(field)})${required.includes(field) ? '' : '?'}`).join('');
}

function memberOf(field: RecordField): string {
  return `"${field}":${patterns[field] ?? text}`;
}
