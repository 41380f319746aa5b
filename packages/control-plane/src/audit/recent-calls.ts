// The last calls of this daemon. A call costs nothing for it: the audit log has its record, and entries are made of those
// that are new only when the list is asked for, or while a stream is open.
import { type AuditRecord, parseRecordId } from '@portico/audit-chain';
import { type AuditStatus, maxRecentCalls, type RecentCall } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../common/log.js';
import type { AuditLog } from './audit-log.js';
import { charactersOf, toRecentCall } from './recent-call.js';

export interface CallFilter {
  /** Name of the program that asked. */
  readonly client?: string | undefined;
  readonly capability?: string | undefined;
  readonly status?: AuditStatus | undefined;
}

export interface CallListener {
  /** Oldest first. */
  calls(calls: readonly RecentCall[]): void;
  /** At most this many calls are left out here. */
  missed(count: number): void;
}

export interface RecentCalls {
  /** Newest first, and the id of the newest call of all. Rejects where the audit log cannot be read. */
  list(filter: CallFilter, limit: number): Promise<{ readonly calls: readonly RecentCall[]; readonly cursor: string }>;
  /**
   * Notifies of calls some 100 ms after they end, until the returned function is called. With an id, the kept calls
   * after it come first: all kept calls if the id is unknown.
   */
  follow(listener: CallListener, lastId?: string): () => void;
}

export interface RecentCallsDeps {
  readonly audit: Pick<AuditLog, 'after' | 'head' | 'flush' | 'onKept'>;
  readonly clock: Pick<Clock, 'after' | 'sleep'>;
  readonly log: Log;
}

/** Text that is kept, in characters. */
const maxCharacters = 2_000_000;
/** Records behind which is not looked: what is older than that is left out. */
const maxRecords = 1000;
const portion = { maxRecords: 200, maxCharacters: 2_000_000 };
/** Streams receive the calls of this interval together. */
const gatherMs = 100;
/** The id for a log without a call. */
const noCall = '0';

export function createRecentCalls({ audit, clock, log }: RecentCallsDeps): RecentCalls {
  const kept = new Kept();
  const listeners = new Set<CallListener>();
  /** The last record that was looked at. */
  let seq = 0;
  let reading: Promise<void> = Promise.resolve();
  let isDue = false;
  let unsubscribe = () => {};

  const skip = (to: number) => {
    if (to <= seq) return;
    for (const listener of listeners) listener.missed(to - seq);
    kept.clear(); // what is kept has no gap, so that what is missing behind an id can be counted
    seq = to;
  };

  const take = (records: readonly AuditRecord[]) => {
    skip((records[0]?.seq ?? 0) - 1); // a log in memory gives records up
    const calls = records.map(toRecentCall).filter((call) => call !== undefined);
    for (const call of calls) kept.add(call);
    seq = records.at(-1)?.seq ?? seq;
    if (calls.length > 0) for (const listener of listeners) listener.calls(calls);
  };

  const catchUp = async () => {
    const end = audit.head().seq;
    skip(end - maxRecords);
    while (seq < end) {
      const records = await audit.after(seq, portion);
      if (records.length === 0) return;
      take(records);
      if (seq < end) await clock.sleep(0); // other work has its turn
    }
  };

  /** One after the other, so that each record is taken once. */
  const read = (): Promise<void> => {
    reading = reading.catch(() => {}).then(catchUp);
    return reading;
  };

  const noteKept = () => {
    if (isDue) return;
    isDue = true;
    clock.after(gatherMs, () => {
      isDue = false;
      if (listeners.size === 0) return;
      read().catch((error: unknown) => log('warn', 'the last calls cannot be read from the audit log', { error }));
    });
  };

  return {
    async list(filter, limit) {
      await audit.flush();
      await read();
      const calls = kept.newestFirst().filter((call) => matchesCall(call, filter));
      return { calls: calls.slice(0, limit), cursor: kept.newestFirst()[0]?.id ?? noCall };
    },
    follow(listener, lastId) {
      let isStopped = false;
      const join = () => {
        if (isStopped) return;
        if (lastId !== undefined) replay(kept, listener, lastId);
        listeners.add(listener);
        if (listeners.size === 1) unsubscribe = audit.onKept(noteKept);
        noteKept(); // the calls before that notification
      };
      read().then(join, join);
      return () => {
        isStopped = true;
        if (listeners.delete(listener) && listeners.size === 0) unsubscribe();
      };
    },
  };
}

/** Whether a recent call has the client, capability and status that a filter names. */
export function matchesCall(call: RecentCall, { client, capability, status }: CallFilter): boolean {
  return (
    (client === undefined || call.client?.name === client) &&
    (capability === undefined || call.capability_id === capability) &&
    (status === undefined || call.status === status)
  );
}

function replay(kept: Kept, listener: CallListener, lastId: string): void {
  const calls = kept.oldestFirst();
  const at = calls.findIndex(({ id }) => id === lastId);
  const gap = at < 0 ? gapBetween(lastId, calls[0]?.id) : 0;
  if (gap > 0) listener.missed(gap);
  const behind = calls.slice(at + 1);
  if (behind.length > 0) listener.calls(behind);
}

/** Records between two of the same chain. */
function gapBetween(before: string, after: string | undefined): number {
  const [first, next] = [parseRecordId(before), parseRecordId(after ?? '')];
  if (first === undefined || next === undefined || first.chainId !== next.chainId) return 0;
  return Math.max(0, next.seq - first.seq - 1);
}

/** Bounded by number and by text. */
class Kept {
  readonly #calls: RecentCall[] = [];
  #characters = 0;

  add(call: RecentCall): void {
    this.#calls.push(call);
    this.#characters += charactersOf(call);
    while (this.#calls.length > maxRecentCalls || (this.#characters > maxCharacters && this.#calls.length > 1)) {
      const oldest = this.#calls.shift();
      if (oldest !== undefined) this.#characters -= charactersOf(oldest);
    }
  }

  clear(): void {
    this.#calls.length = 0;
    this.#characters = 0;
  }

  oldestFirst(): readonly RecentCall[] {
    return this.#calls;
  }

  newestFirst(): readonly RecentCall[] {
    return [...this.#calls].reverse();
  }
}
