// The one writer of a chain: records wait, are stored in batches in their order, and wait again while the store fails.
// It drops no record. The store keeps a batch whole.
import { setImmediate } from 'node:timers/promises';
import type { AuditDraft, Head, Sealed } from '@portico/audit-chain';
import { AuditUnavailable, type Log } from '@portico/control-plane';
import { createAlarm } from './alarm.js';
import type { AuditClock } from './clock.js';
import { createDraftQueue } from './draft-queue.js';
import { createOutages, type Outage } from './outages.js';
import { createWaiters } from './waiters.js';

/** Options that a log is opened with and passes on. */
export interface WritingOptions {
  readonly clock: AuditClock;
  readonly log: Log;
  /** Whether a record counts as appended only once it is on disk, or committed. */
  readonly isStrict: boolean;
  /** Records that may wait before callers do. */
  readonly bufferCapacity: number;
  /** How long a record waits for others at most. */
  readonly flushIntervalMs: number;
  /** Records that are written without waiting for others. */
  readonly maxBatchSize: number;
}

export interface WriterOptions<K> extends WritingOptions {
  /** Names and values that identify the log in its messages. */
  readonly named: Readonly<Record<string, string>>;
  /** Where the chain ends. */
  readonly start: Head;
  /** The chain of its records, if the log has several. */
  readonly chainId?: string | undefined;
  /** Keeps the first of the records that follow the kept ones, all unless it says otherwise, and gives those that it has kept. */
  readonly append: (records: readonly Sealed[]) => Promise<readonly K[]>;
  /** Called after each batch, before its waiters are notified. Does not throw. */
  readonly onKept: (records: readonly K[]) => void;
  /** Once the log can be written again: what is pushed in it follows all that has waited. */
  readonly onAvailable: (outage: Outage) => void;
}

export interface Writer {
  /** The event waits from now on, in any case, and has its place in the log. @throws AuditUnavailable once it is closed */
  push(draft: AuditDraft): void;
  /** Resolves when all that was pushed so far is kept, in a strict log also on disk. @throws AuditUnavailable */
  kept(): Promise<void>;
  /** Resolves when fewer records wait than may. @throws AuditUnavailable */
  room(): Promise<void>;
  /** Writes what waits without waiting for more. Resolves when that is done, or cannot be. */
  flush(): Promise<void>;
  /** Runs a task while nothing is being written. */
  atRest<T>(task: () => Promise<T>): Promise<T>;
  /** Where the kept log ends. */
  head(): Head;
  waiting(): number;
  /** Why nothing can be written now; undefined while it can. */
  unavailable(): string | undefined;
  /** Takes nothing more, tries once more to write what waits, and gives how many records are left. */
  close(): Promise<number>;
}

const closedReason = 'the audit log is closed';

export function createWriter<K>(options: WriterOptions<K>): Writer {
  const { start, clock, isStrict, bufferCapacity, flushIntervalMs, maxBatchSize } = options;
  const outages = createOutages({ ...options, onRetry: () => wake() });
  const queue = createDraftQueue(bufferCapacity, options.chainId);
  const waiters = createWaiters();
  const tasks: (() => Promise<void>)[] = [];
  let kept = start;
  let lastSeq = start.seq;
  let isDue = false;
  let isClosed = false;
  let working: Promise<void> | undefined;
  const alarm = createAlarm(clock, flushIntervalMs, () => {
    isDue = true;
    wake();
  });

  const isFull = () => queue.length() >= maxBatchSize || !queue.hasRoom();
  const isEnough = () => isStrict || isDue || isClosed || isFull() || outages.current() !== undefined;
  const shallWrite = () => queue.length() > 0 && isEnough() && outages.mayTry();

  const wake = () => {
    if (shallWrite() || tasks.length > 0) working ??= work();
  };

  const work = async () => {
    await setImmediate(); // drafts of the same turn of the event loop are written together
    while (tasks.length > 0 || shallWrite()) {
      for (const task of tasks.splice(0)) await task();
      if (shallWrite()) await writeBatch();
    }
    working = undefined;
    if (queue.length() > 0) alarm.start();
  };

  const writeBatch = async () => {
    const batch = queue.batch(kept);
    isDue = isDue && batch.length < queue.length();
    alarm.stop();
    let records: readonly K[];
    try {
      records = await options.append(batch);
    } catch (error) {
      return waiters.unavailable(new AuditUnavailable(outages.failed(error).reason));
    }
    queue.drop(records.length);
    kept = batch[records.length - 1]?.head ?? kept;
    outages.worked();
    options.onKept(records);
    waiters.kept(kept.seq);
    if (queue.hasRoom()) waiters.room();
  };

  const whyNot = () => (isClosed ? closedReason : outages.current()?.reason);

  return {
    push(draft) {
      if (isClosed) throwFor(closedReason);
      queue.push(draft);
      lastSeq += 1;
      alarm.start();
      wake();
    },
    async kept() {
      throwFor(whyNot());
      if (kept.seq < lastSeq) await waiters.untilKept(lastSeq);
    },
    async room() {
      throwFor(whyNot());
      if (!queue.hasRoom()) await waiters.untilRoom();
    },
    async flush() {
      if (outages.current() !== undefined || kept.seq >= lastSeq) return;
      isDue = true;
      wake();
      await waiters.untilKept(lastSeq).catch(() => {}); // the caller of flush continues with the rest
    },
    atRest: (task) =>
      new Promise((resolve, reject) => {
        tasks.push(() => task().then(resolve, reject));
        wake();
      }),
    head: () => kept,
    waiting: queue.length,
    unavailable: whyNot,
    async close() {
      isClosed = true;
      outages.tryNow();
      wake();
      while (working !== undefined) await working;
      alarm.stop();
      outages.close();
      return queue.length();
    },
  };
}

function throwFor(reason: string | undefined): void {
  if (reason !== undefined) throw new AuditUnavailable(reason);
}
