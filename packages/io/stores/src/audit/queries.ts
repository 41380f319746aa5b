// Queries over a log: pages, single records, counts and streams. The index gives the position, the file gives the
// content. No query holds more than a page of records, and no query blocks the event loop for long.
import {
  type AuditFilter,
  type AuditRecord,
  type AuditStats,
  type AuditStatus,
  auditEventTypes,
  auditStatuses,
  createSeries,
  createStats,
  createUsage,
  matchesFilter,
  parseRecord,
  parseRecordId,
  type SeriesPoint,
  type SeriesSpan,
  type Usage,
  type UsageCounter,
  type UsageField,
} from '@portico/audit-chain';
import type { AuditList, AuditPage, AuditPortion, Log } from '@portico/control-plane';
import { type Block, type ByteRange, rangeOf } from './block.js';
import { candidatesIn, countsIn, idsOf, isEmptyFilter, needsRecords } from './block-match.js';
import type { TimeBounds } from './block-store.js';
import type { AuditClock } from './clock.js';
import type { LogBytes } from './log-bytes.js';
import { createPageRanges } from './page-ranges.js';
import { readRanges } from './read-ranges.js';
import type { RecordIndex } from './record-index.js';
import { textTestOf } from './text-test.js';

export interface Queries {
  list(filter: AuditFilter, page: AuditPage): Promise<AuditList>;
  get(id: string): Promise<AuditRecord | undefined>;
  stats(): Promise<AuditStats>;
  series(filter: AuditFilter, span: SeriesSpan): Promise<readonly SeriesPoint[]>;
  usage(filter: AuditFilter, most: number, by: UsageField): Promise<Usage>;
  /** Oldest first, those up to a position. */
  records(filter: AuditFilter, lastSeq: number): AsyncGenerator<AuditRecord>;
  after(seq: number, portion: AuditPortion): Promise<readonly AuditRecord[]>;
}

export interface QueryDeps {
  readonly file: LogBytes;
  readonly index: RecordIndex;
  readonly clock: AuditClock;
  readonly log: Log;
}

const dayMs = 24 * 3_600_000;
/** Candidates of a block that are held against their records together, where not all are counted. */
const candidatesAtATime = 256;

export function createQueries({ file, index, clock, log }: QueryDeps): Queries {
  let isReported = false;
  const toRecord = (text: string | null, range: ByteRange | undefined): AuditRecord | undefined => {
    const record = text === null ? undefined : parseRecord(text);
    if (record === undefined && !isReported && (range?.start ?? 0) >= (file.first?.() ?? 0)) {
      isReported = true;
      log('error', 'a record of the audit log is no longer what was written; verify it', { offset: range?.start });
    }
    return record;
  };

  async function* read(ranges: readonly ByteRange[]): AsyncGenerator<AuditRecord> {
    let i = 0;
    for await (const text of readRanges(file, ranges)) {
      const record = toRecord(text, ranges[i++]);
      if (record !== undefined) yield record;
    }
  }

  /** The candidates whose records match. A record is parsed only if its text may hold the searched value. */
  const confirmed = async (block: Block, candidates: readonly number[], filter: AuditFilter) => {
    const ranges = candidates.map((i) => rangeOf(block, i));
    const mayMatch = textTestOf(filter);
    const found: number[] = [];
    let at = 0;
    for await (const text of readRanges(file, ranges)) {
      const record = text !== null && mayMatch(text) ? toRecord(text, ranges[at]) : undefined;
      const candidate = candidates[at++];
      if (record !== undefined && candidate !== undefined && matchesFilter(record, filter)) found.push(candidate);
    }
    return found;
  };

  /** The matching records, the newest portion first; ascending within a portion. */
  async function* matchesIn(block: Block, filter: AuditFilter, atATime: number): AsyncGenerator<readonly number[]> {
    const candidates = candidatesIn(block, filter);
    if (!needsRecords(filter)) return yield candidates;
    for (let end = candidates.length; end > 0; end -= atATime) {
      yield await confirmed(block, candidates.slice(Math.max(0, end - atATime), end), filter);
    }
  }

  return {
    async list(filter, { limit, offset, countsAll = true }) {
      const view = await index.view();
      const isAll = isEmptyFilter(filter);
      const page = createPageRanges({ limit, offset });
      const atATime = countsAll ? Number.POSITIVE_INFINITY : candidatesAtATime;
      // The total is known of all records, and not wanted where not all are counted.
      const isEnough = () => page.isFull() && (isAll || (!countsAll && page.hasMore()));
      for await (const block of view.newestFirst(boundsOf(filter), idsOf(filter))) {
        for await (const matches of matchesIn(block, filter, atATime)) {
          page.add(block, matches);
          if (isEnough()) break;
        }
        if (isEnough()) break;
      }
      const events = await collect(read(page.ranges().toReversed()));
      return { events: events.toReversed(), total: isAll ? view.total : page.total() };
    },
    async get(id) {
      const { seq, chainId } = parseRecordId(id) ?? {};
      if (seq === undefined || chainId !== undefined) return undefined;
      for await (const block of (await index.view()).oldestFirst(seq, {})) {
        if (block.firstSeq > seq) return undefined;
        for await (const record of read([rangeOf(block, seq - block.firstSeq)])) {
          return record.id === id ? record : undefined;
        }
        return undefined;
      }
      return undefined;
    },
    stats: () => countKinds(index, clock.epochMs()),
    ...countsOver(index, matchesIn),
    async *records(filter, lastSeq) {
      for await (const block of (await index.view()).oldestFirst(1, boundsOf(filter))) {
        if (block.firstSeq > lastSeq) return;
        const ranges = candidatesIn(block, filter)
          .filter((i) => block.firstSeq + i <= lastSeq)
          .map((i) => rangeOf(block, i));
        for await (const record of read(ranges)) {
          if (!needsRecords(filter) || matchesFilter(record, filter)) yield record;
        }
      }
    },
    async after(seq, portion) {
      for await (const block of (await index.view()).oldestFirst(seq + 1, {})) {
        let next = Math.max(0, seq + 1 - block.firstSeq);
        while (next < block.count) {
          const ranges = rangesFrom(block, next, portion);
          const records = await collect(read(ranges));
          if (records.length > 0) return records;
          next += ranges.length; // none of them can be read
        }
      }
      return [];
    },
  };
}

function boundsOf({ start_ms, end_ms }: AuditFilter): TimeBounds {
  return { startMs: start_ms, endMs: end_ms };
}

function statusOf({ statuses }: Block['columns'], i: number): AuditStatus {
  return auditStatuses[statuses[i] ?? 0] ?? 'success';
}

async function countKinds(index: RecordIndex, nowMs: number): Promise<AuditStats> {
  const counter = createStats(nowMs);
  for await (const block of (await index.view()).newestFirst({})) counter.addCounts(countsIn(block, nowMs - dayMs));
  return counter.stats();
}

/** Positions in a block of those that match, portion by portion. */
type MatchesIn = (block: Block, filter: AuditFilter, atATime: number) => AsyncIterable<readonly number[]>;

function countsOver(index: RecordIndex, matchesIn: MatchesIn): Pick<Queries, 'series' | 'usage'> {
  /** All that match, block by block: what is counted is in the columns. */
  async function* matches(filter: AuditFilter): AsyncGenerator<readonly [Block, readonly number[]]> {
    for await (const block of (await index.view()).newestFirst(boundsOf(filter), idsOf(filter)))
      for await (const found of matchesIn(block, filter, Number.POSITIVE_INFINITY)) yield [block, found];
  }

  return {
    async series(filter, span) {
      const counter = createSeries(span);
      for await (const [{ columns }, found] of matches(filter)) {
        for (const i of found) counter.add(columns.times[i] ?? Number.NaN, statusOf(columns, i));
      }
      return counter.points();
    },
    async usage(filter, most, by) {
      const counter = createUsage(by);
      for await (const [block, found] of matches(filter)) {
        addUsage(counter, block, found);
      }
      return counter.usage(most);
    },
  };
}

function addUsage(counter: UsageCounter, { columns, terms }: Block, found: readonly number[]): void {
  for (const i of found) {
    const capability_id = terms[(columns.capabilities[i] ?? 0) - 1];
    const actor_id = terms[(columns.actors[i] ?? 0) - 1] ?? '';
    const event_type = auditEventTypes[columns.eventTypes[i] ?? 0];
    if (capability_id === undefined || event_type === undefined) continue;
    counter.add({ capability_id, actor_id, event_type, status: statusOf(columns, i) }, columns.times[i] ?? Number.NaN);
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The lines of a block from one on, as many as a portion takes and at least one. */
function rangesFrom(block: Block, first: number, { maxRecords, maxCharacters }: AuditPortion): readonly ByteRange[] {
  const ranges: ByteRange[] = [];
  let bytes = 0; // never fewer than characters
  for (let i = first; i < block.count && ranges.length < Math.max(1, maxRecords); i++) {
    const range = rangeOf(block, i);
    bytes += range.end - range.start;
    if (ranges.length > 0 && bytes > maxCharacters) break;
    ranges.push(range);
  }
  return ranges;
}
