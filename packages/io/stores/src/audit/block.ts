// A block of the index: what filters ask of up to 1,024 records that follow one another, in columns instead of records.
// It holds no record; where each stands in the file it does.
import { type AuditRecord, auditEventTypes, auditStatuses } from '@portico/audit-chain';
import { type AuditChannel, auditChannels } from '@portico/contracts';

export const maxBlockRecords = 1024;
/** A block of large records ends sooner, so that places in it fit their column. */
const maxBlockBytes = 256 * 1024 * 1024;

/** One value for each record. Texts are numbered from 1 by `terms`; 0 means no text. */
export interface Columns {
  /** Milliseconds since the Unix epoch. */
  readonly times: Float64Array;
  /** Where the record's line begins, from the start of the block. */
  readonly offsets: Uint32Array;
  /** Ids by `idNumber`. */
  readonly traces: Uint32Array;
  readonly requests: Uint32Array;
  readonly approvals: Uint32Array;
  readonly keys: Uint32Array;
  readonly actors: Uint16Array;
  readonly capabilities: Uint16Array;
  readonly servers: Uint16Array;
  /** Names of clients. */
  readonly clients: Uint16Array;
  /** Position in `auditEventTypes`. */
  readonly eventTypes: Uint8Array;
  /** Position in `auditStatuses`. */
  readonly statuses: Uint8Array;
  /** Position in `auditChannels`, from 1; 0 for none. */
  readonly channels: Uint8Array;
}

export interface Block {
  readonly firstSeq: number;
  readonly count: number;
  /** In the file, of the first record's line. */
  readonly start: number;
  /** In the file, the byte after the last record's line feed. */
  readonly end: number;
  /** Hash of the last record. */
  readonly hash: string;
  /** Earliest of the times that are set. */
  readonly minMs: number;
  readonly maxMs: number;
  readonly terms: readonly string[];
  readonly columns: Columns;
}

/** The bytes of a line in the file, without its line feed. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface BlockBuilder {
  /** @param end the byte after the line feed of the record's line, which begins where the one before ended */
  add(record: AuditRecord, end: number): void;
  isFull(): boolean;
  /** The current content; it does not change while more is added. */
  block(): Block;
}

/** @param start where in the file the line of the first record begins */
export function createBlockBuilder(firstSeq: number, start: number): BlockBuilder {
  const columns = createColumns(maxBlockRecords);
  const terms: string[] = [];
  const numbers = new Map<string, number>();
  let count = 0;
  let end = start;
  let hash = '';
  let minMs = Number.POSITIVE_INFINITY;
  let maxMs = Number.NEGATIVE_INFINITY;

  const numberOf = (term: string | undefined): number => {
    if (term === undefined) return 0;
    const known = numbers.get(term);
    if (known !== undefined) return known;
    numbers.set(term, terms.push(term));
    return terms.length;
  };

  return {
    add(record, recordEnd) {
      const epochMs = Date.parse(record.timestamp);
      columns.times[count] = epochMs;
      columns.offsets[count] = end - start;
      columns.traces[count] = idNumber(record.trace_id);
      columns.requests[count] = idNumber(record.request_id);
      columns.approvals[count] = idNumber(record.approval_id);
      columns.keys[count] = idNumber(record.idempotency_key);
      columns.actors[count] = numberOf(record.actor_id);
      columns.capabilities[count] = numberOf(record.capability_id);
      columns.servers[count] = numberOf(record.server_id);
      columns.clients[count] = numberOf(record.client?.name);
      columns.eventTypes[count] = auditEventTypes.indexOf(record.event_type);
      columns.statuses[count] = auditStatuses.indexOf(record.status);
      columns.channels[count] = channelNumber(record.channel);
      if (epochMs < minMs) minMs = epochMs;
      if (epochMs > maxMs) maxMs = epochMs;
      hash = record.hash;
      end = recordEnd;
      count += 1;
    },
    isFull: () => count === maxBlockRecords || end - start >= maxBlockBytes,
    block: () => {
      const bounds = minMs <= maxMs ? { minMs, maxMs } : { minMs: 0, maxMs: 0 }; // no time at all, which none asks for
      return { firstSeq, count, start, end, hash, ...bounds, terms, columns };
    },
  };
}

export function rangeOf({ start, end, count, columns }: Block, index: number): ByteRange {
  const next = index + 1 < count ? start + (columns.offsets[index + 1] ?? 0) : end;
  return { start: start + (columns.offsets[index] ?? 0), end: next - 1 };
}

/** A small hash (FNV-1a): equal for equal ids, and rarely for others. 0 for none, and for nothing else. */
export function idNumber(id: string | undefined): number {
  if (id === undefined) return 0;
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return hash >>> 0 || 1;
}

export function channelNumber(channel: AuditChannel | undefined): number {
  return channel === undefined ? 0 : auditChannels.indexOf(channel) + 1;
}

/** Bytes of a record in the columns: the widest first, so that each column is aligned. */
const recordBytes = 8 + 4 + 4 * 4 + 4 * 2 + 3 * 1;

export function createColumns(count: number): Columns {
  return columnsOver(new ArrayBuffer(count * recordBytes), count);
}

/** Typed arrays have the byte order of the machine, as has the database file that they are for. */
function columnsOver(buffer: ArrayBuffer, count: number): Columns {
  let at = 0;
  const next = (bytes: number) => {
    at += bytes * count;
    return at - bytes * count;
  };
  return {
    times: new Float64Array(buffer, next(8), count),
    offsets: new Uint32Array(buffer, next(4), count),
    traces: new Uint32Array(buffer, next(4), count),
    requests: new Uint32Array(buffer, next(4), count),
    approvals: new Uint32Array(buffer, next(4), count),
    keys: new Uint32Array(buffer, next(4), count),
    actors: new Uint16Array(buffer, next(2), count),
    capabilities: new Uint16Array(buffer, next(2), count),
    servers: new Uint16Array(buffer, next(2), count),
    clients: new Uint16Array(buffer, next(2), count),
    eventTypes: new Uint8Array(buffer, next(1), count),
    statuses: new Uint8Array(buffer, next(1), count),
    channels: new Uint8Array(buffer, next(1), count),
  };
}

/** The columns as bytes for the database. */
export function encodeColumns({ columns, count }: Block): Uint8Array {
  const buffer = new ArrayBuffer(count * recordBytes);
  const target = columnsOver(buffer, count);
  target.times.set(columns.times.subarray(0, count));
  target.offsets.set(columns.offsets.subarray(0, count));
  target.traces.set(columns.traces.subarray(0, count));
  target.requests.set(columns.requests.subarray(0, count));
  target.approvals.set(columns.approvals.subarray(0, count));
  target.keys.set(columns.keys.subarray(0, count));
  target.actors.set(columns.actors.subarray(0, count));
  target.capabilities.set(columns.capabilities.subarray(0, count));
  target.servers.set(columns.servers.subarray(0, count));
  target.clients.set(columns.clients.subarray(0, count));
  target.eventTypes.set(columns.eventTypes.subarray(0, count));
  target.statuses.set(columns.statuses.subarray(0, count));
  target.channels.set(columns.channels.subarray(0, count));
  return new Uint8Array(buffer);
}

/** @throws RangeError if the bytes do not encode `count` records */
export function decodeColumns(bytes: Uint8Array, count: number): Columns {
  if (bytes.length !== count * recordBytes)
    throw new RangeError('the columns of a block of the audit index are damaged');
  return columnsOver(Uint8Array.from(bytes).buffer, count); // a copy: the database's bytes begin anywhere
}

/** The ids that a block holds, of every kind, by number. */
export function* idsIn({ columns, count }: Block): Generator<number> {
  for (const column of [columns.traces, columns.requests, columns.approvals, columns.keys]) {
    for (let i = 0; i < count; i++) yield column[i] ?? 0;
  }
}
