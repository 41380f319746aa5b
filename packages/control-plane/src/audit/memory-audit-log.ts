// The audit log of a process that keeps no file: the same chain, of which the newest records stay in memory.
import {
  type AuditDraft,
  type AuditRecord,
  createStats,
  createVerifier,
  genesisHead,
  type Head,
  matchesFilter,
  recordLine,
  seal,
} from '@portico/audit-chain';
import type { AuditLog, AuditPortion, OpenAction } from './audit-log.js';

export interface MemoryAuditLog extends AuditLog {
  /** What is kept, oldest first. */
  kept(): readonly AuditRecord[];
}

export interface MemoryAuditOptions {
  /** Records that are kept; older ones are given up. */
  readonly capacity: number;
  /** Characters that are kept, in lines of the log. */
  readonly maxCharacters?: number;
  readonly epochMs: () => number;
}

interface Entry {
  readonly record: AuditRecord;
  readonly length: number;
}

/** A record can be verified as long as it is kept: the chain is checked from the oldest of them on. */
export function createMemoryAuditLog({
  capacity,
  maxCharacters = 16_000_000,
  epochMs,
}: MemoryAuditOptions): MemoryAuditLog {
  const listeners = new Set<() => void>();
  let entries: Entry[] = [];
  let first = 0; // entries before it are given up; they are removed now and then
  let characters = 0;
  let head: Head = genesisHead;

  const kept = (): AuditRecord[] => entries.slice(first).map(({ record }) => record);

  const giveUpOldest = () => {
    while (entries.length - first > 1 && (entries.length - first > capacity || characters > maxCharacters)) {
      characters -= entries[first]?.length ?? 0;
      first += 1;
    }
    if (2 * first < entries.length) return;
    entries = entries.slice(first);
    first = 0;
  };

  const add = (draft: AuditDraft) => {
    const sealed = seal(head, draft);
    head = sealed.head;
    entries.push({ record: sealed.record, length: sealed.line.length });
    characters += sealed.line.length;
    giveUpOldest();
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
      const found = entries
        .slice(first)
        .filter(({ record }) => matchesFilter(record, filter))
        .reverse();
      return { events: pageOf(found.slice(offset, offset + limit)), total: found.length };
    },
    get: async (id) => kept().find((record) => record.id === id),
    async stats() {
      const counter = createStats(epochMs());
      for (const record of kept()) counter.add(record);
      return counter.stats();
    },
    async verify() {
      const [oldest] = kept();
      const start = oldest === undefined ? head : { seq: oldest.seq - 1, hash: oldest.prev_hash };
      const verifier = createVerifier({ start, expectedHead: head });
      for (const record of kept()) verifier.push(recordLine(record));
      return verifier.end();
    },
    records: (filter) => stream(kept().filter((record) => matchesFilter(record, filter))),
    after: async (seq, portion) => portionOf(entries.slice(first), seq, portion),
    head: () => head,
    onKept(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    waiting: () => 0,
    unavailable: () => undefined,
    kept,
  };
}

/** What a page comes to, in characters, before its last record. */
const maxPageCharacters = 8 * 1024 * 1024;

function pageOf(found: readonly Entry[]): readonly AuditRecord[] {
  let characters = 0;
  const isFull = ({ length }: Entry) => {
    characters += length;
    return characters >= maxPageCharacters;
  };
  const last = found.findIndex(isFull);
  return found.slice(0, last === -1 ? found.length : last + 1).map(({ record }) => record);
}

async function* stream(records: readonly AuditRecord[]): AsyncGenerator<AuditRecord> {
  yield* records;
}

function portionOf(entries: readonly Entry[], seq: number, { maxRecords, maxCharacters }: AuditPortion) {
  const firstSeq = entries[0]?.record.seq ?? 0;
  const from = Math.max(0, seq + 1 - firstSeq);
  const portion: AuditRecord[] = [];
  let characters = 0;
  for (const { record, length } of entries.slice(from, from + maxRecords)) {
    characters += length;
    if (portion.length > 0 && characters > maxCharacters) break;
    portion.push(record);
  }
  return portion;
}
