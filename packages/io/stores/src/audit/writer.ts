// The one writer of a log: lines wait, go to the file in batches in their order, and wait again while it cannot be
// written. It drops none, and it never leaves half a line before another one.
import { setImmediate } from 'node:timers/promises';
import type { AuditDraft, Head } from '@portico/audit-chain';
import { AuditUnavailable, type Log } from '@portico/control-plane';
import { createAlarm } from './alarm.js';
import type { AuditClock } from './clock.js';
import { createDraftQueue } from './draft-queue.js';
import type { LogHandle } from './log-handle.js';
import { createOutages, type Outage } from './outages.js';
import type { KeptRecord } from './record-index.js';
import { createWaiters } from './waiters.js';
import { createWholeWrites } from './whole-writes.js';

/** Where the kept log ends. */
export interface Position {
  readonly head: Head;
  /** Bytes. */
  readonly size: number;
}

export interface WriterOptions {
  readonly path: string;
  readonly handle: LogHandle;
  /** Of the file that was opened. */
  readonly identity: string;
  readonly start: Position;
  readonly clock: AuditClock;
  readonly log: Log;
  readonly isStrict: boolean;
  readonly bufferCapacity: number;
  readonly flushIntervalMs: number;
  readonly maxBatchSize: number;
  /** After each batch, before anybody who waits for it hears of it. Does not throw. */
  readonly onKept: (records: readonly KeptRecord[]) => void;
  /** Once the log can be written again: what is pushed in it follows all that has waited. */
  readonly onAvailable: (outage: Outage) => void;
}

export interface Writer {
  /** The event waits from now on, in any case, and has its place in the log. @throws AuditUnavailable once it is closed */
  push(draft: AuditDraft): void;
  /** Resolves when all that was pushed so far is in the file, in a strict log also on disk. @throws AuditUnavailable */
  kept(): Promise<void>;
  /** Resolves when fewer records wait than may. @throws AuditUnavailable */
  room(): Promise<void>;
  /** Writes what waits without waiting for more. Resolves when that is done, or cannot be. */
  flush(): Promise<void>;
  /** Runs a task while nothing is being written. */
  atRest<T>(task: () => Promise<T>): Promise<T>;
  /** Whether a part of a failed write may follow the kept log in the file. */
  isTorn(): boolean;
  position(): Position;
  waiting(): number;
  /** Why nothing can be written now; undefined while it can. */
  unavailable(): string | undefined;
  /** Takes nothing more, tries once more to write what waits, and gives how many records are left. */
  close(): Promise<number>;
}

const closedReason = 'the audit log is closed';

export function createWriter(options: WriterOptions): Writer {
  const { start, clock, isStrict, bufferCapacity, flushIntervalMs, maxBatchSize } = options;
  const file = createWholeWrites({ ...options, size: start.size });
  const outages = createOutages({ ...options, onRetry: () => wake() });
  const queue = createDraftQueue(bufferCapacity);
  const waiters = createWaiters();
  const tasks: (() => Promise<void>)[] = [];
  let kept = start;
  let lastSeq = start.head.seq;
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
    await setImmediate(); // whatever else this turn of the event loop hands in comes along
    while (tasks.length > 0 || shallWrite()) {
      for (const task of tasks.splice(0)) await task();
      if (shallWrite()) await writeBatch();
    }
    working = undefined;
    if (queue.length() > 0) alarm.start();
  };

  const writeBatch = async () => {
    const batch = queue.batch(kept.head, file.size());
    isDue = isDue && batch.records.length < queue.length();
    alarm.stop();
    try {
      await file.append(batch.bytes);
    } catch (error) {
      return waiters.unavailable(new AuditUnavailable(outages.failed(error).reason));
    }
    queue.drop(batch.records.length);
    kept = { head: batch.head, size: file.size() };
    outages.worked();
    options.onKept(batch.records);
    waiters.kept(kept.head.seq);
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
      if (kept.head.seq < lastSeq) await waiters.untilKept(lastSeq);
    },
    async room() {
      throwFor(whyNot());
      if (!queue.hasRoom()) await waiters.untilRoom();
    },
    async flush() {
      if (outages.current() !== undefined || kept.head.seq >= lastSeq) return;
      isDue = true;
      wake();
      await waiters.untilKept(lastSeq).catch(() => {}); // whoever flushes goes on with what there is
    },
    atRest: (task) =>
      new Promise((resolve, reject) => {
        tasks.push(() => task().then(resolve, reject));
        wake();
      }),
    isTorn: file.isTorn,
    position: () => kept,
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
