// The audit log of a process that keeps no file: the same chain, of which the newest records stay in memory.
import {
  type AuditDraft,
  type AuditFilter,
  type AuditRecord,
  createStats,
  createVerifier,
  genesisHead,
  type Head,
  matchesFilter,
  noCheckpoints,
  parseRecordId,
  seal,
} from '@portico/audit-chain';
import { parseJson } from '@portico/contracts';
import type { AuditLog, OpenAction } from './audit-log.js';
import { KeptLines, type LinesThen } from './kept-lines.js';

export interface MemoryAuditLog extends AuditLog {
  /** What is kept, oldest first. */
  kept(): readonly AuditRecord[];
}

export interface MemoryAuditOptions {
  /** Records that are kept; older ones are given up. */
  readonly capacity: number;
  /** Bytes that are kept, in lines of the log. */
  readonly maxBytes?: number;
  readonly epochMs: () => number;
  /** Gives other work its turn while many records are looked through. None by default. */
  readonly pause?: () => Promise<void>;
}

/** A record can be verified as long as it is kept: the chain is checked from the oldest of them on. */
export function createMemoryAuditLog({
  capacity,
  maxBytes = 16_000_000,
  epochMs,
  pause = async () => {},
}: MemoryAuditOptions): MemoryAuditLog {
  const listeners = new Set<() => void>();
  const lines = new KeptLines(); // of seq 1 and on, by numbers from 0
  let head: Head = genesisHead;

  const add = (draft: AuditDraft) => {
    const sealed = seal(head, draft);
    head = sealed.head;
    lines.add(sealed.line);
    for (let kept = lines.next - lines.first; kept > 1 && (kept > capacity || lines.bytes > maxBytes); kept -= 1)
      lines.dropFirst();
    for (const listener of listeners) listener();
  };

  const action: OpenAction = {
    end(draft) {
      if (draft !== undefined) add(draft);
      return undefined;
    },
  };

  return {
    begin: () => action,
    append: async (draft) => add(draft),
    flush: async () => {},
    async list(filter, { limit, offset }) {
      const now = lines.now();
      const found = await findNewestFirst(now, filter, pause);
      const numbers = pageOf(now, found.slice(offset, offset + limit));
      return { events: numbers.map((number) => recordAt(now, number)), total: found.length };
    },
    get: async (id) => {
      const number = (parseRecordId(id)?.seq ?? 0) - 1;
      const record = number >= lines.first && number < lines.next ? recordAt(lines, number) : undefined;
      return record?.id === id ? record : undefined;
    },
    async stats() {
      const counter = createStats(epochMs());
      for (const record of oldestFirst(lines)) counter.add(record);
      return counter.stats();
    },
    async verify() {
      const { value: oldest } = oldestFirst(lines).next();
      const start = oldest === undefined ? head : { seq: oldest.seq - 1, hash: oldest.prev_hash };
      const verifier = createVerifier({ start, expectedHead: head });
      for (let number = lines.first; number < lines.next; number += 1) verifier.push(lines.at(number));
      const report = verifier.end();
      const why = 'a log in memory has no signed checkpoints; audit.filePath keeps it in a file';
      return { ...report, checkpoints: noCheckpoints(report.total_records, why) };
    },
    records: (filter) => stream(lines.now(), filter),
    async *checkpoints() {},
    async after(seq, { maxRecords, maxCharacters }) {
      const from = Math.max(lines.first, seq);
      const portion: AuditRecord[] = [];
      let bytes = 0;
      for (let number = from; number < Math.min(lines.next, from + maxRecords); number += 1) {
        bytes += lines.bytesOf(number);
        if (portion.length > 0 && bytes > maxCharacters) break;
        portion.push(recordAt(lines, number));
      }
      return portion;
    },
    head: () => head,
    onKept(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    waiting: () => 0,
    unavailable: () => undefined,
    kept: () => [...oldestFirst(lines)],
  };
}

/** Its line was made here. */
function recordAt(lines: LinesThen, number: number): AuditRecord {
  return parseJson(lines.at(number)) as AuditRecord;
}

function* oldestFirst(lines: LinesThen): Generator<AuditRecord, undefined> {
  for (let number = lines.first; number < lines.next; number += 1) yield recordAt(lines, number);
}

async function* stream(lines: LinesThen, filter: AuditFilter): AsyncGenerator<AuditRecord> {
  for (const record of oldestFirst(lines)) if (matchesFilter(record, filter)) yield record;
}

/** Records that are looked through in one go: some milliseconds. */
const share = 1000;

/** Numbers of the lines that match. */
async function findNewestFirst(
  lines: LinesThen,
  filter: AuditFilter,
  pause: () => Promise<void>,
): Promise<readonly number[]> {
  const isAll = Object.values(filter).every((condition) => condition === undefined);
  const found: number[] = [];
  for (let number = lines.next - 1; number >= lines.first; number -= 1) {
    if (isAll || matchesFilter(recordAt(lines, number), filter)) found.push(number);
    if (!isAll && number % share === 0) await pause();
  }
  return found;
}

/** What a page comes to, in bytes, before its last record. */
const maxPageBytes = 8 * 1024 * 1024;

function pageOf(lines: LinesThen, found: readonly number[]): readonly number[] {
  let bytes = 0;
  const isFull = (number: number) => {
    bytes += lines.bytesOf(number);
    return bytes >= maxPageBytes;
  };
  const last = found.findIndex(isFull);
  return found.slice(0, last === -1 ? found.length : last + 1);
}
