// Saves where the log ends, every few seconds while it grows; the counters know of what came since. First the file is
// synchronised: a head that is saved is on disk, so that after a power loss no record is missing that never was safe.
import type { Head } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import { messageOf } from '../files.js';
import { createAlarm } from './alarm.js';
import type { AuditClock } from './clock.js';
import type { AuditHeads } from './heads.js';
import type { LogHandle } from './log-handle.js';

/** Where the kept log ends. */
export interface Position {
  readonly head: Head;
  /** Bytes. */
  readonly size: number;
}

export interface HeadKeeper {
  /** The log has grown. */
  touch(): void;
  /** Saves it now, the last time. */
  close(): Promise<void>;
}

export interface HeadKeeperDeps {
  readonly path: string;
  /** Identifies the log among those whose heads are kept there. */
  readonly key: string;
  readonly handle: Pick<LogHandle, 'sync'>;
  readonly heads: AuditHeads;
  readonly clock: AuditClock;
  readonly log: Log;
  readonly position: () => Position;
  /** Not while the saved head is all that knows of records that are missing. */
  readonly mayReplace: () => boolean;
}

const intervalMs = 5000;

export function createHeadKeeper({
  path,
  key,
  handle,
  heads,
  clock,
  log,
  position,
  mayReplace,
}: HeadKeeperDeps): HeadKeeper {
  let savedSeq = -1;
  let isReported = false;
  let saving: Promise<void> = Promise.resolve();

  const save = async () => {
    const { head, size } = position();
    if (head.seq === savedSeq || !mayReplace()) return;
    try {
      await handle.sync();
      await heads.set(key, { ...head, end: size });
      savedSeq = head.seq;
      isReported = false;
    } catch (error) {
      if (!isReported)
        log('warn', 'where the audit log ends cannot be saved', { file: path, reason: messageOf(error) });
      isReported = true;
      alarm.start();
    }
  };

  const alarm = createAlarm(clock, intervalMs, () => {
    saving = saving.then(save);
  });

  return {
    touch: alarm.start,
    async close() {
      alarm.stop();
      await saving;
      await save();
    },
  };
}
