// Reads the records that a log in memory keeps as lines. Changes none of them.
import { type AuditFilter, type AuditRecord, matchesFilter } from '@portico/audit-chain';
import { parseExact, parseJson } from '@portico/contracts';

/** What was kept at a moment: it stays as it is while lines come and go. */
export interface LinesThen {
  /** Number of the oldest that is kept. */
  readonly first: number;
  /** Number that the next line will have. */
  readonly next: number;
  /** @param number of a line that is kept */
  at(number: number): string;
  /** Its length in UTF-8. */
  bytesOf(number: number): number;
}

/** To be shown: its numbers keep all of their digits. Its line was made here. */
export function recordAt(lines: LinesThen, number: number): AuditRecord {
  return parseExact(lines.at(number)) as unknown as AuditRecord;
}

/** To be looked into. */
function glanceAt(lines: LinesThen, number: number): AuditRecord {
  return parseJson(lines.at(number)) as AuditRecord;
}

export function* oldestFirst(lines: LinesThen): Generator<AuditRecord, undefined> {
  for (let number = lines.first; number < lines.next; number += 1) yield recordAt(lines, number);
}

export async function* stream(lines: LinesThen, filter: AuditFilter): AsyncGenerator<AuditRecord> {
  for (const record of oldestFirst(lines)) if (matchesFilter(record, filter)) yield record;
}

/** Records that are looked through in one go: some milliseconds. */
const share = 1000;

/** Numbers of the lines that match. */
export async function findNewestFirst(
  lines: LinesThen,
  filter: AuditFilter,
  pause: () => Promise<void>,
): Promise<readonly number[]> {
  const isAll = Object.values(filter).every((condition) => condition === undefined);
  const found: number[] = [];
  for (let number = lines.next - 1; number >= lines.first; number -= 1) {
    if (isAll || matchesFilter(glanceAt(lines, number), filter)) found.push(number);
    if (!isAll && number % share === 0) await pause();
  }
  return found;
}

/** What a page comes to, in bytes, before its last record. */
const maxPageBytes = 8 * 1024 * 1024;

export function pageOf(lines: LinesThen, found: readonly number[]): readonly number[] {
  let bytes = 0;
  const isFull = (number: number) => {
    bytes += lines.bytesOf(number);
    return bytes >= maxPageBytes;
  };
  const last = found.findIndex(isFull);
  return found.slice(0, last === -1 ? found.length : last + 1);
}
