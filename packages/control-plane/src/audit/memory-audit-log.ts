// The audit log of a process that keeps no file: the same chain, of which the newest records stay in memory. Their lines
// are kept as bytes, in blocks: as objects or texts, thousands of them would be copied with each collection of garbage
// until they are old, and each call adds one.
import {
  type AuditDraft,
  type AuditFilter,
  type AuditRecord,
  createSeries,
  createStats,
  createUsage,
  createVerifier,
  genesisHead,
  type Head,
  noCheckpoints,
  parseRecordId,
  seal,
} from '@portico/audit-chain';
import { allocateBytes, type WritableBytes } from '@portico/canonical-json';
import type { AuditLog, OpenAction } from './audit-log.js';
import { findNewestFirst, type LinesThen, oldestFirst, pageOf, recordAt, stream } from './kept-records.js';

export interface MemoryAuditLog extends AuditLog {
  /** The kept records, oldest first. */
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
  const startedMs = epochMs();
  let head: Head = genesisHead;

  /** An action that left its record otherwise has none. */
  const end = (draft?: AuditDraft): undefined => {
    if (draft === undefined) return;
    const sealed = seal(head, draft);
    head = sealed.head;
    lines.add(sealed);
    for (let kept = lines.next - lines.first; kept > 1 && (kept > capacity || lines.bytes > maxBytes); kept -= 1)
      lines.dropFirst();
    if (listeners.size > 0) for (const listener of listeners) listener();
  };

  const action: OpenAction = { end };

  const forEachMatch = async (filter: AuditFilter, look: (record: AuditRecord) => void) => {
    const now = lines.now();
    for (const number of await findNewestFirst(now, filter, { most: Number.POSITIVE_INFINITY, pause }))
      look(recordAt(now, number));
  };

  return {
    begin: () => action,
    append: async (draft) => end(draft),
    flush: async () => {},
    async list(filter, { limit, offset, countsAll = true }) {
      const now = lines.now();
      const most = countsAll ? Number.POSITIVE_INFINITY : offset + limit + 1;
      const found = await findNewestFirst(now, filter, { most, pause });
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
    async series(filter, span) {
      const counter = createSeries(span);
      await forEachMatch(filter, ({ timestamp, status }) => counter.add(Date.parse(timestamp), status));
      return counter.points();
    },
    async usage(filter, most, by) {
      const counter = createUsage(by);
      await forEachMatch(filter, (record) => counter.add(record, Date.parse(record.timestamp)));
      return counter.usage(most);
    },
    async verify() {
      const { value: oldest } = oldestFirst(lines).next();
      const start = oldest === undefined ? head : { seq: oldest.seq - 1, hash: oldest.prev_hash };
      const verifier = createVerifier({ start, expectedHead: head });
      for (let number = lines.first; number < lines.next; number += 1) verifier.push(lines.at(number));
      const report = verifier.end();
      const since = sayMinute(oldest === undefined || oldest.seq === 1 ? startedMs : Date.parse(oldest.timestamp));
      const details = `${report.details}; in memory since ${since}; earlier records are no longer kept`;
      const why = 'a log in memory has no signed checkpoints; audit.filePath keeps it in a file';
      return { ...report, details, checkpoints: noCheckpoints(report.total_records, why) };
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
    isVolatile: true,
    unavailable: () => undefined,
    kept: () => [...oldestFirst(lines)],
  };
}

/** In UTC, as `2026-11-25 14:02 UTC`. */
function sayMinute(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const blockBytes = 256 * 1024;
const decoder = new TextDecoder();

/** A line that can write itself, so that no text has to be made of its parts. */
export interface WritableLine {
  readonly maxBytes: number;
  /** Writes it as UTF-8 from a byte on, and gives the bytes written. */
  writeLine(into: WritableBytes, at: number): number;
}

/** Lines one after the other: line n is from `ends[n - 1]` to `ends[n]`. */
interface Block {
  readonly bytes: WritableBytes;
  readonly ends: number[];
}

/** Lines by their number, which counts from 0 over all that were ever added. */
export class KeptLines implements LinesThen {
  readonly #blocks: Block[];
  /** Number of the first line of each block. */
  readonly #firsts: number[];
  first = 0;
  next = 0;
  /** In UTF-8, of all that are kept. */
  bytes = 0;

  /** @param of lines to begin with, which are shared: each goes on by itself */
  constructor(of?: KeptLines) {
    this.#blocks = of === undefined ? [] : [...of.#blocks];
    this.#firsts = of === undefined ? [] : [...of.#firsts];
    if (of === undefined) return;
    this.first = of.first;
    this.next = of.next;
    this.bytes = of.bytes;
  }

  now(): LinesThen {
    return new KeptLines(this);
  }

  add(line: WritableLine): void {
    const { maxBytes: room } = line;
    let block = this.#blocks[this.#blocks.length - 1];
    let start = block?.ends[block.ends.length - 1] ?? 0;
    if (block === undefined || block.bytes.length - start < room) {
      block = { bytes: allocateBytes(Math.max(blockBytes, room)), ends: [] };
      start = 0;
      this.#blocks.push(block);
      this.#firsts.push(this.next);
    }
    const written = line.writeLine(block.bytes, start);
    block.ends.push(start + written);
    this.next += 1;
    this.bytes += written;
  }

  dropFirst(): void {
    if (this.#firsts[1] === this.first) {
      this.#blocks.shift();
      this.#firsts.shift();
    }
    const { ends } = this.#blocks[0] ?? { ends: [] }; // where the oldest line is
    const index = this.first - (this.#firsts[0] ?? 0);
    this.bytes -= (ends[index] ?? 0) - (ends[index - 1] ?? 0);
    this.first += 1;
  }

  at(number: number): string {
    const { bytes, start, end } = this.#find(number);
    return decoder.decode(bytes.subarray(start, end));
  }

  bytesOf(number: number): number {
    const { start, end } = this.#find(number);
    return end - start;
  }

  *numbersWith(text: string): Generator<number | undefined> {
    for (let at = this.#blocks.length - 1; at >= 0; at -= 1) {
      const { bytes, ends } = this.#blocks[at] ?? { bytes: allocateBytes(0), ends: [] };
      yield undefined;
      // A text of a whole block is looked through in a tenth of the time that its lines take.
      if (!decoder.decode(bytes.subarray(0, ends.at(-1))).includes(text)) continue;
      const first = this.#firsts[at] ?? 0;
      for (
        let number = Math.min(first + ends.length, this.next) - 1;
        number >= Math.max(first, this.first);
        number -= 1
      )
        if (this.at(number).includes(text)) yield number;
    }
  }

  #find(number: number): { readonly bytes: Uint8Array; readonly start: number; readonly end: number } {
    const at = this.#firsts.findLastIndex((first) => first <= number);
    const block = this.#blocks[at];
    const index = number - (this.#firsts[at] ?? 0);
    const end = block?.ends[index];
    if (block === undefined || end === undefined) throw new RangeError(`no line ${number} is kept`);
    return { bytes: block.bytes, start: block.ends[index - 1] ?? 0, end };
  }
}
