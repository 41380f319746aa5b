// The stream of audit records to one target: in order, at least once, and one batch in memory at most. How records are
// put to the target, and what follows when it refuses them, is not decided here.
import type { AuditRecord } from '@portico/audit-chain';
import type { AuditLog } from '@portico/control-plane';
import type { DeliveryLog } from '../webhook-sender.js';
import { createDelivery } from './delivery.js';
import { createGathering } from './gathering.js';
import { createInsist, messageOf, type Setback } from './insist.js';
import type { SendRecords } from './send-records.js';
import type { SiemClock } from './siem-clock.js';
import type { SiemCursors } from './siem-cursors.js';
import { createTroubleLog, type TroubleMessages } from './trouble-log.js';

export interface SiemLag {
  readonly target: string;
  /** Kept, and not known to have reached the target. */
  readonly records: number;
  /** Age of the oldest of them, where it is known. */
  readonly seconds?: number;
}

export interface StreamOptions {
  readonly id: string;
  /** The target's name in the log, besides its id. */
  readonly origin: string;
  readonly send: SendRecords;
  readonly audit: Pick<AuditLog, 'after' | 'head' | 'onKept'>;
  /** Cursors in this audit log: another log has positions of its own. */
  readonly cursors: SiemCursors;
  /** Records in one request, at most. */
  readonly maxBatchSize: number;
  /** Longest that a kept record waits for more before it is sent. */
  readonly flushIntervalMs: number;
  /** Must not throw. */
  readonly log: DeliveryLog;
  readonly clock: SiemClock;
  /** From 0 to 1, for jitter. */
  readonly randomUnit: () => number;
}

export interface SiemStream {
  /** Resolves when the stream has ended, after `finish`. */
  run(): Promise<void>;
  /** Sends what waits without any more waiting, so that what fails is tried once more. */
  finish(): void;
  /** Ends what `finish` has left, requests included. */
  giveUp(): void;
  /** Undefined until the cursor is known. */
  lag(): SiemLag | undefined;
}

const maxCharacters = 1_048_576;

export function createSiemStream(options: StreamOptions): SiemStream {
  const { audit, maxBatchSize } = options;
  const finishing = new AbortController();
  const givingUp = new AbortController();
  const position = createPosition(options);
  const { sending, keeping, report } = createReports(options, position);
  const gathering = createGathering({ ...options, waiting: position.waiting });
  const deliver = createDelivery({
    ...options,
    onReduced: ({ id }, form, reason) =>
      report('warn', 'a SIEM target has got an audit record in part', { id, form, reason }),
    signal: givingUp.signal,
  });
  const insist = createInsist({
    ...options,
    onSetback: sending.failed,
    finishing: finishing.signal,
    givingUp: givingUp.signal,
  });

  async function findCursor(): Promise<null> {
    const kept = await options.cursors.get(options.id);
    const head = audit.head().seq;
    // Its records are missing, so this is another log: all of it is new to the target.
    if (kept > head)
      report('warn', 'the audit log is a new one; sending it to the SIEM target from its first record', { kept, head });
    position.moveTo(kept > head ? 0 : kept);
    return null;
  }

  async function readBatch(): Promise<Setback | null> {
    const from = position.cursor();
    const headBefore = audit.head().seq;
    const batch = await audit.after(from, { maxRecords: maxBatchSize, maxCharacters });
    const [first, last] = [batch[0], batch.at(-1)];
    if (first === undefined || last === undefined) {
      return { reason: 'the audit log gives none of the records that wait', minWaitMs: 0 };
    }
    const missing = first.seq - from - 1;
    if (missing > 0) report('error', 'audit records that a SIEM target has not got are no longer kept', { missing });
    position.hold(batch);
    if (last.seq >= headBefore) gathering.taken();
    if (last.seq < audit.head().seq) gathering.kept();
    return null;
  }

  async function sendNext(): Promise<Setback | null> {
    const progress = await deliver(position.held());
    if (progress.kind === 'setback') return progress.setback;
    sending.succeeded();
    const seq = position.passed(progress.count);
    try {
      await options.cursors.set(options.id, seq);
      keeping.succeeded();
    } catch (error) {
      // The stream goes on: to send again after a restart is better than to send nothing until the store works.
      keeping.failed(messageOf(error));
    }
    return null;
  }

  async function stream(): Promise<void> {
    if (!(await insist(findCursor))) return;
    while (await gathering.untilReady()) {
      if (!(await insist(readBatch))) return;
      while (position.held().length > 0) if (!(await insist(sendNext))) return;
    }
  }

  return {
    async run() {
      const stopListening = audit.onKept(gathering.kept);
      await stream();
      stopListening();
    },
    finish() {
      finishing.abort();
      gathering.hurry();
    },
    giveUp: () => givingUp.abort(),
    lag: position.lag,
  };
}

type Position = ReturnType<typeof createPosition>;

/** Where the target is in the log, and the records that it gets next. */
function createPosition({ id, audit, clock }: StreamOptions) {
  let cursor: number | undefined;
  let batch: readonly AuditRecord[] = [];
  const waiting = () => Math.max(0, audit.head().seq - (cursor ?? 0));

  return {
    cursor: () => cursor ?? 0,
    waiting,
    held: () => batch,
    hold(records: readonly AuditRecord[]) {
      batch = records;
    },
    moveTo(seq: number) {
      cursor = seq;
    },
    /** Gives the position of the last of them. */
    passed(count: number): number {
      const seq = batch[count - 1]?.seq ?? cursor ?? 0;
      cursor = seq;
      batch = batch.slice(count);
      return seq;
    },
    lag(): SiemLag | undefined {
      if (cursor === undefined) return undefined;
      const records = waiting();
      if (records === 0) return { target: id, records, seconds: 0 };
      const [oldest] = batch;
      if (oldest === undefined) return { target: id, records };
      return { target: id, records, seconds: Math.max(0, clock.epochMs() - Date.parse(oldest.timestamp)) / 1000 };
    },
  };
}

/** Log lines about the target. */
function createReports({ id, origin, log, clock }: StreamOptions, { lag }: Position) {
  const named = { target: id, origin };
  const fields = () => {
    const current = lag();
    return { ...named, waiting: current?.records, waiting_seconds: current?.seconds };
  };
  const report: DeliveryLog = (level, message, more) => log(level, message, { ...named, ...more });
  return {
    report,
    sending: createTroubleLog(log, clock, sendingMessages, fields),
    keeping: createTroubleLog(log, clock, keepingMessages, fields),
  };
}

const sendingMessages: TroubleMessages = {
  failing: 'audit records do not reach a SIEM target; they are sent until they do',
  over: 'audit records reach a SIEM target again',
};

const keepingMessages: TroubleMessages = {
  failing: 'the position of a SIEM target cannot be kept; a restart would send records again',
  over: 'the position of a SIEM target is kept again',
};
