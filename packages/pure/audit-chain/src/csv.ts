// Records as rows of CSV (RFC 4180) that a spreadsheet can open without running formulas from arguments. Line breaks
// between rows (CRLF) are the caller's.
import { canonicalize } from '@portico/canonical-json';
import type { JsonValue } from '@portico/contracts';
import { recordFields } from './fields.js';
import type { AuditRecord } from './record.js';

/** The names of all fields, in the order of every row. */
export const csvHeader: string = recordFields.join(',');

/** One cell a field, empty if it is absent. Objects are canonical JSON. */
export function csvRow(record: AuditRecord): string {
  return recordFields.map((field) => toCell(record[field])).join(',');
}

function toCell(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  return quote(guard(typeof value === 'string' ? value : canonicalize(value)));
}

/**
 * Cells that spreadsheets take for a formula (OWASP, CSV injection): = + - @, also as full-width characters, behind
 * white space, invisible characters or quotes; and cells that start with a tab or a line break.
 */
const formula = /^(?:[\s\p{Cc}\p{Cf}"']*[=+\-@＝＋－＠]|[\t\r\n])/u;

/** A leading apostrophe makes it text. Taking it away from such a cell gives the value back. */
function guard(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
