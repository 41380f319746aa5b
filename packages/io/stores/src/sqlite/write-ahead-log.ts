// The write-ahead log of a SQLite database, to wait for the disk without holding the event loop: SQLite itself waits in the
// thread that commits. Never reads the file nor writes to it.
import { open } from 'node:fs/promises';

export interface WriteAheadLog {
  /** Resolves when all that is committed by now is on disk. Rejects where it may not be, and so does every later one. */
  sync(): Promise<void>;
  /** @throws what `sync` has rejected with: the operating system may say once only that it has lost something */
  refuseIfLost(): void;
  close(): Promise<void>;
}

/** A sync of this length is worth a line in the log. */
const slowMs = 1000;
/** A disk that stays slow gets one line in this time. */
const quietMs = 60_000;

/**
 * Reports waits for the disk that were long. Every call under a key and every approval waits for them, and nothing else
 * that can be seen says why.
 * @param report given the length of a wait in milliseconds: the first of a minute
 * @param now in milliseconds
 */
export function reportSlowSync(
  sync: () => Promise<void>,
  report: (waitedMs: number) => void,
  now = () => performance.now(),
): () => Promise<void> {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return async () => {
    const startedAt = now();
    try {
      await sync();
    } finally {
      const endedAt = now();
      if (endedAt - startedAt >= slowMs && endedAt >= quietUntil) {
        quietUntil = endedAt + quietMs;
        report(Math.round(endedAt - startedAt));
      }
    }
  };
}

/**
 * Opens the log of a database that is open in WAL mode with `synchronous = NORMAL`: its commits are in the log then, and
 * on disk after the next sync of that file (https://www.sqlite.org/pragma.html#pragma_synchronous). SQLite locks the
 * database and its `-shm` file, never the log, so closing this takes no lock away (https://www.sqlite.org/howtocorrupt.html,
 * section 2.2).
 */
export async function openWriteAheadLog(file: string): Promise<WriteAheadLog> {
  const log = await open(`${file}-wal`, 'r+');
  let lost: Error | undefined;
  const refuseIfLost = () => {
    if (lost !== undefined) throw lost;
  };
  return {
    refuseIfLost,
    async sync() {
      refuseIfLost();
      await log.datasync().catch((cause: unknown) => {
        lost = new Error(`${file} could not be written to disk: ${String(cause)}; restart the service`, { cause });
        throw lost;
      });
    },
    close: () => log.close(),
  };
}
