// Reads the records that a log in memory keeps as lines. Changes none of them.
import { type AuditFilter, type AuditRecord, matchesFilter } from '@portico/audit-chain';
import { parseExact, parseJson } from '@portico/contracts';

/** A snapshot of the kept lines: it does not change while lines are added and removed. */
export interface LinesThen {
  /** Number of the oldest that is kept. */
  readonly first: number;
  /** Number that the next line will have. */
  readonly next: number;
  /** @param number of a line that is kept */
  at(number: number): string;
  /** Its length in UTF-8. */
  bytesOf(number: number): number;
  /** Numbers of the lines that hold a text, newest first. Undefined before each block: a moment for other work. */
  numbersWith(text: string): Iterable<number | undefined>;
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

/** Records that are searched in one turn: some milliseconds. */
const share = 1000;

const idFields = ['trace_id', 'request_id', 'approval_id', 'idempotency_key'] as const;

/** The fragment of a record's canonical line that contains the ids of a filter. */
function pieceOf(filter: AuditFilter): string | undefined {
  const { request_or_approval: asked } = filter;
  if (asked !== undefined) return `_id":${JSON.stringify(asked)}`;
  const field = idFields.find((each) => filter[each] !== undefined);
  return field && `"${field}":${JSON.stringify(filter[field])}`;
}

export interface Finding {
  /** Matches after which the search ends. */
  readonly most: number;
  /** Gives other work its turn. */
  readonly pause: () => Promise<void>;
}

/** Numbers of the lines that match, newest first. Only lines that hold an id that is asked for are parsed. */
export async function findNewestFirst(
  lines: LinesThen,
  filter: AuditFilter,
  { most, pause }: Finding,
): Promise<readonly number[]> {
  const isAll = Object.values(filter).every((condition) => condition === undefined);
  const found: number[] = [];
  for (const number of candidatesOf(lines, filter, isAll)) {
    if (found.length >= most) break;
    if (number === undefined) await pause();
    else if (isAll || matchesFilter(glanceAt(lines, number), filter)) found.push(number);
  }
  return found;
}

/** Numbers of the lines that may match, newest first. Undefined after each share of work. */
function* candidatesOf(lines: LinesThen, filter: AuditFilter, isAll: boolean): Generator<number | undefined> {
  const piece = pieceOf(filter);
  if (piece !== undefined) return yield* lines.numbersWith(piece);
  for (let number = lines.next - 1; number >= lines.first; number -= 1) {
    yield number;
    if (!isAll && number % share === 0) yield undefined;
  }
}

/** Size of a page, in bytes, before its last record. */
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
