// A ledger that lives as long as the process. For embedders that want no files, and for tests.
import { type Intent, type Ledger, type LedgerRecord, notOpen } from './ledger.js';

interface Stored {
  readonly record: LedgerRecord;
  readonly expiresAtMs: number;
}

const never = Number.POSITIVE_INFINITY;

/** Creates a ledger in memory, for tests and single processes; keys end with the process. */
export function createMemoryLedger(): Ledger {
  const stored = new Map<string, Stored>();
  const idOf = (scope: string, key: string) => JSON.stringify([scope, key]);

  const live = (scope: string, key: string, nowMs: number): LedgerRecord | undefined => {
    const found = stored.get(idOf(scope, key));
    return found !== undefined && found.expiresAtMs > nowMs ? found.record : undefined;
  };
  const change = (scope: string, key: string, changeStored: (before: Stored) => Stored) => {
    const before = stored.get(idOf(scope, key));
    if (before !== undefined) stored.set(idOf(scope, key), changeStored(before));
  };

  return {
    async begin(intent) {
      const existing = live(intent.scope, intent.key, intent.createdAtMs);
      if (existing !== undefined) return existing;
      stored.delete(idOf(intent.scope, intent.key)); // an expired one; the new one is the newest
      stored.set(idOf(intent.scope, intent.key), { record: toRecord(intent), expiresAtMs: never });
      return undefined;
    },
    async complete(scope, key, { response, completedAtMs, expiresAtMs }) {
      const before = stored.get(idOf(scope, key));
      if (before === undefined || before.record.completedAtMs !== null) throw new Error(notOpen);
      change(scope, key, ({ record }) => ({ record: { ...record, response, completedAtMs }, expiresAtMs }));
    },
    async forget(scope, key) {
      if (stored.get(idOf(scope, key))?.record.completedAtMs === null) stored.delete(idOf(scope, key));
    },
    async countReplay(scope, key) {
      change(scope, key, ({ record, expiresAtMs }) => ({
        record: { ...record, replayCount: record.replayCount + 1 },
        expiresAtMs,
      }));
    },
    untilEnded: async () => {}, // there is no other process
    find: live,
    get: async (scope, key, nowMs) => live(scope, key, nowMs),
    async list(scope, { limit, offset }, nowMs) {
      const own = [...stored.values()].filter(
        ({ record, expiresAtMs }) => record.scope === scope && expiresAtMs > nowMs,
      );
      return own
        .map(({ record }) => record)
        .reverse()
        .sort((a, b) => b.createdAtMs - a.createdAtMs)
        .slice(offset, offset + limit);
    },
    async closeInterrupted(completedAtMs, expiresAtMs) {
      const open = [...stored.values()].filter(({ record }) => record.completedAtMs === null);
      for (const { record } of open) {
        stored.set(idOf(record.scope, record.key), { record: { ...record, completedAtMs }, expiresAtMs });
      }
      return open.map(({ record: { key, kind, capabilityId, firstTraceId } }) => ({
        key,
        kind,
        capabilityId,
        firstTraceId,
      }));
    },
    async sizes(nowMs) {
      return [...stored.values()]
        .filter(({ expiresAtMs }) => expiresAtMs > nowMs && expiresAtMs !== never)
        .map(({ record: { scope, response }, expiresAtMs }) => ({
          scope,
          records: 1,
          bytes: response.length,
          expiresAtMs,
        }));
    },
    async purge(nowMs) {
      const expired = [...stored].filter(([, { expiresAtMs }]) => expiresAtMs <= nowMs);
      for (const [id] of expired) stored.delete(id);
      return expired.length;
    },
  };
}

function toRecord({ unknownResponse, ...rest }: Intent): LedgerRecord {
  return { ...rest, completedAtMs: null, response: unknownResponse, replayCount: 0 };
}
