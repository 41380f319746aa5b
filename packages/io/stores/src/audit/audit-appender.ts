// Gives events their places in the order in which they come, keeps count of actions, and says what the log could not hold.
// It decides whom to keep waiting and whom to refuse; the writer decides when to write.
import { type AuditDraft, type GapReason, toGapDraft } from '@portico/audit-chain';
import type { JsonObject } from '@portico/contracts';
import type { AuditLog } from '@portico/control-plane';
import type { AuditClock } from './clock.js';
import type { Counters } from './counters.js';
import type { Outage } from './outages.js';
import type { Recovery } from './recover.js';
import type { Writer } from './writer.js';

export interface AuditAppender extends Pick<AuditLog, 'begin' | 'append'> {
  /** Records were written. */
  kept(): void;
  /** The log can be written again after a time in which it could not. */
  available(outage: Outage): void;
  /** Position that the last event has. */
  lastSeq(): number;
  /** Leaves what was counted. */
  close(): void;
}

export interface AuditAppenderDeps {
  readonly writer: Writer;
  readonly counters: Counters;
  readonly clock: AuditClock;
  readonly recovery: Pick<Recovery, 'head' | 'lost' | 'gap'>;
  readonly isStrict: boolean;
}

export function createAuditAppender({ writer, counters, clock, recovery, isStrict }: AuditAppenderDeps): AuditAppender {
  let lastSeq = recovery.head.seq;
  let begun = 0;
  let ended = 0;
  let refused = 0;
  /** Losses of the last process stay in the counters until the log itself records them. */
  let unreported = recovery.gap === undefined ? undefined : { ...recovery.lost, reportedAt: lastSeq + 1 };

  const note = () =>
    counters.write({
      issued: lastSeq + (unreported?.records ?? 0),
      begun: begun + (unreported?.actions ?? 0),
      ended,
    });

  /** One write of the counters for all that a turn of the event loop brings. */
  let isDue = false;
  const noteSoon = () => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      note();
    });
  };

  const write = (draft: AuditDraft) => {
    writer.push(draft);
    lastSeq += 1;
    noteSoon();
  };

  const recordGap = (reason: GapReason, details: JsonObject) => write(toGapDraft(reason, details, clock.epochMs()));

  /** Strict callers wait for their record, others only for room. */
  const settled = () => (isStrict ? writer.kept() : writer.room());

  note();
  if (recovery.gap !== undefined) recordGap(recovery.gap.reason, recovery.gap.details);

  return {
    async begin() {
      try {
        await writer.room();
      } catch (error) {
        refused += 1;
        throw error;
      }
      begun += 1;
      noteSoon();
      let isOpen = true;
      return {
        async end(draft) {
          if (isOpen) ended += 1;
          isOpen = false;
          noteSoon();
          if (draft === undefined) return;
          write(draft);
          await settled();
        },
      };
    },
    async append(draft) {
      write(draft);
      await settled();
    },
    kept() {
      if (unreported === undefined || writer.head().seq < unreported.reportedAt) return;
      unreported = undefined;
      noteSoon();
    },
    available({ sinceMs, code }) {
      if (refused === 0) return;
      recordGap('unwritable', { refused, since: new Date(sinceMs).toISOString(), error: code });
      refused = 0;
    },
    lastSeq: () => lastSeq,
    close: note,
  };
}
